# Names for the scripts, for those who have make. The scripts need none of this.
.PHONY: demo test lint docs bench fuzz tsan

demo test lint docs bench fuzz tsan:
	@scripts/$@
