// Choosing a trial: a point of the map or a button of the table, by mouse or by keyboard. The mark moves at once, and
// nothing is drawn anew, so that the focus stays where it is.
"use strict";

(function () {
  const EITHER = "[data-trial], [data-pick]"; // a point of the map, a button of the table

  function number(element) {
    return Number(element.dataset.trial || element.dataset.pick);
  }

  function choose(element) {
    const results = element.closest(".results");
    const table = results.querySelector("[data-latest]");
    const trial = number(element);
    for (const one of results.querySelectorAll(EITHER)) {
      one.setAttribute("aria-pressed", String(number(one) === trial));
    }
    Shiny.setInputValue(results.dataset.input, { trial, of: Number(table.dataset.latest) }, { priority: "event" });
  }

  document.addEventListener("click", (event) => {
    const one = event.target.closest(EITHER);
    if (one && one.closest(".results")) choose(one);
  });

  // A button does this by itself; a point of a picture has to be taught.
  document.addEventListener("keydown", (event) => {
    const one = event.target.closest(".results g[data-trial]");
    if (one && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      choose(one);
    }
  });
})();
