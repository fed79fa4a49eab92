namespace n {
template <typename T, int N = 4> struct vec {
	typedef T value;
	static constexpr int count = N;
	struct half { T x[N / 2]; };
	T x[N];
	char pad;
};
template <typename T> using vec2 = vec<T, 2>;
template <> struct vec<char> { long long whole; };
}
template <class T> class base {
	T v;
public:
	base() : v{} {}
	template <class U> void set(U u) { v = u < T(3) ? u : v; }
};
template <class T> class derived : public base<T> {
	char c;
	n::vec<T, sizeof(T)> more;
	typename n::vec<T>::half half;
	typename n::vec<T>::value last;
};
template <class T> struct node {
	T v;
	node *next;
	node<node<T>> *deeper;
	node(const node &) = default;
};
template <class T, bool Wide = (sizeof(T) > 4)> struct wide { T t[Wide ? 2 : 1]; };

typedef node<float> list;
struct all {
	n::vec<unsigned> a;
	n::vec2<double> b;
	n::vec<char> c;
	derived<short> d;
	wide<wide<double>> e;
	wide<char> f;
	int g[n::vec<int, (8>>2)>::count];
};


extern int uses[sizeof(all) + sizeof(list)];
