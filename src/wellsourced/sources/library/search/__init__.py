"""What finds passages: the Lance tables of passages and vectors, and the two rankings fused into one. It can always
be made anew from the store."""
