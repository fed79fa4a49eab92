
typedef unsigned long size_t_; typedef float vf4 __attribute__((vector_size(16))); typedef decltype(nullptr) null;
struct P{int x;}; enum E{A}; enum class EC:char{B}; typedef struct {int y;} T; union U{int q;};
typedef const int ci; typedef int arr[4];
namespace sim { struct G{int z; struct In{int w;};}; namespace deep { struct D{};
void g(G, D, D*, G::In, const D*, G*, const D*);                // _ZN3sim4deep1gENS_1GENS0_1DEPS2_NS1_2InEPKS2_PS1_S6_
}
void f(G, G*, const G*, const G*, P, P*);                       // _ZN3sim1fENS_1GEPS0_PKS0_S3_1PPS4_
void h(int);                                                    // _ZN3sim1hEi
}
void a(int);                                                    // _Z1ai
void a(float);                                                  // _Z1af
void b(const float*, const float*, float*, const float* const*, float* __restrict__, const float* __restrict__, float* __restrict__); // _Z1bPKfS0_PfPKS0_S1_S0_S1_
void c(P,P,P*,P**,P*const,const P&,P&&,E,EC,T,T*,U);            // _Z1c1PS_PS_PS0_S0_RKS_OS_1E2EC1TPS7_1U
void d();                                                       // _Z1dv
void e(bool,char,signed char,unsigned char,short,unsigned short,int,unsigned,long,unsigned long,long long,unsigned long long,__int128,unsigned __int128,float,double,wchar_t,char16_t,char32_t,size_t_); // _Z1ebcahstijlmxynofdwDsDim
void g(int(*)(int,float), void(*)(), int(*)(const char*,...), int(*)[4], const int(*)[4], P(*)[2][3], vf4, vf4*, const volatile int*, void*, const void*, void (*)(const int)); // _Z1gPFiifEPFvvEPFiPKczEPA4_iPA4_KiPA2_A3_1PDv4_fPSG_PVKiPvPKvPFviE
void i(ci*, const ci*, ci, arr*, const int*, const volatile int*, volatile ci*); // _Z1iPKiS0_iPA4_iS0_PVKiS4_
void j(P*,P**,P***,P****,P*****,P******,P*******,P********,P*********,P**********,P***********,P************,P*************,P**************,P***************,P****************,P*****************,P******************,P*******************,P********************,P*********************,P**********************,P***********************,P************************,P*************************,P**************************,P***************************,P****************************,P*****************************,P******************************,P*******************************,P********************************,P*********************************,P**********************************,P***********************************,P************************************,P*************************************,P**************************************,P**************************************,P***********************************); // _Z1jP1PPS0_PS1_PS2_PS3_PS4_PS5_PS6_PS7_PS8_PS9_PSA_PSB_PSC_PSD_PSE_PSF_PSG_PSH_PSI_PSJ_PSK_PSL_PSM_PSN_PSO_PSP_PSQ_PSR_PSS_PST_PSU_PSV_PSW_PSX_PSY_PSZ_PS10_S11_SY_
