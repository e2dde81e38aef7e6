package lives

// Expressions for sed, which make the model do what the walk does where these differ.
const (
	suspectsAlone = "s/:: !lone -> solo = false :: solo = true fi/:: !lone -> solo = false :: lone -> solo = true fi/"

	byLease = "s/byte c = 0, t = 0, f = 0, list = 0, n = 0, at = 0;/byte c = 0, t = 0, f = 0, list = 0, n = 0, at = 0, lf = 0;/;" +
		"s/c = 0; t = 0; f = 0; at = 0;/& lf = 0;/;s/t = tok; f = fresh; at = now+1;/& lf = failures;/;/define ENDS (out.*failures+1/s/failures+1/lf+1/"

	markInOne = `s/#define ALLOWED MINE(c,t)/#define ALLOWED (MINE(c,t) \&\& ABOVEMARK)/`

	marksInTurn = `s/byte now = 0, mark = 0;/byte now = 0, mark = 0, lmark = 0;/;s/ABOVEMARK (f > mark)/ABOVEMARK (f > lmark)/;` +
		`s/(lfresh <= mark \&\& sealat <= mark)/(lfresh <= lmark \&\& sealat <= lmark)/;s/lfresh <= mark)/lfresh <= lmark)/;` +
		`s/:: atomic { mark + H < now + 1 -> mark++ }/& :: atomic { lmark < mark -> lmark++ }/`
)

// Patches are all expressions, each with its reason.
var Patches = []struct{ Name, Why, Sed string }{
	{"suspects alone", "the model may run any job alone; engines lease only suspects to a claim that runs them so", suspectsAlone},
	{"by the lease", "the model's worker reads the row's count of failures when it ends; ours goes by its lease, which only means that\n" +
		"    attempts that are over seal more, or less", byLease},
	{"the mark in one", "in one database the model asks for the lease alone; the protocol's text and our ledger ask for the mark as well", markInOne},
	{"marks in turn", "the model moves both marks in one step; ledger.Reap moves the engine's first, and then the ledger's", marksInTurn},
}
