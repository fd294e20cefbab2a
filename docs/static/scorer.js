/* Answers first, then guides; the reference, contributors' pages, the changelog and the index of objects last. */
var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    page === "project/CHANGELOG" ? score - 60 : page.startsWith("project/") ? score - 30 :
    page.startsWith("reference/") ? score - 5 : page.startsWith("guides/") ? score : score + 6,
  objNameMatch: 2, objPartialMatch: 1,
  objPrio: {0: 1, 1: 0, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 10, term: 5, partialTerm: 2,
};
