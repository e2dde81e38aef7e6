package prove

var protocol = []Part{}
