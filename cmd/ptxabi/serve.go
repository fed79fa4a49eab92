package main

func bindServe(o *options) action {
	addr := "127.0.0.1:0"
	o.Bind(&addr, "addr")
	o.none = "texts are entered in the page"
	return func(e env, _ []string) error {
		return listen(e, o, addr)
	}
}
