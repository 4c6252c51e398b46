class a($Title) { }
