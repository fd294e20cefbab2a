/* Answers first, then guides; the reference, contributors' pages, the changelog and the index of objects last. */
var ANSWERS = {questions: 8, seeds: 8, legal: 8, files: 6, columns: 6, verdict: 6, glossary: 5, guarantee: 4, sdcmicro: 4, recommended: 3, names: 1};
var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    page === "project/CHANGELOG" ? score - 60 : page.startsWith("project/") ? score - 30 :
    page.startsWith("reference/") ? score - 5 : score + (ANSWERS[page] || 0),
  objNameMatch: 2, objPartialMatch: 1,
  objPrio: {0: 1, 1: 0, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 10, term: 5, partialTerm: 2,
};
