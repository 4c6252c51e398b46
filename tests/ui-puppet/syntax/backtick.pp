notice(`hello`)
