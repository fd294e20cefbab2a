// Improvements of forms that work without this script.
(function () {
  "use strict";
  // A list to tick gets a search field, and its summary shows what is ticked.
  function improvePicker(picker) {
    if (picker.dataset.improved) return;
    picker.dataset.improved = "1";
    const items = [...picker.querySelectorAll("li")], chosen = picker.querySelector(".chosen");
    if (items.length > 6) {
      const search = document.createElement("input");
      search.type = "search";
      search.placeholder = "Search";
      search.setAttribute("aria-label", "Search " + picker.querySelector("legend").textContent);
      search.addEventListener("input", () => {
        const text = search.value.toLowerCase();
        for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(text);
      });
      search.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
      picker.querySelector("ul").before(search);
    }
    picker.addEventListener("change", () => {
      const names = items.filter((item) => item.querySelector("input").checked).map((item) => item.querySelector("input").value);
      chosen.textContent = names.join(", ") || "none";
    });
  }
  // A file is sent as soon as it is chosen or dropped.
  function improveUpload(form) {
    if (form.dataset.improved) return;
    form.dataset.improved = "1";
    const input = form.querySelector("input[type=file]");
    input.addEventListener("change", () => { if (input.files.length) form.requestSubmit(); });
    for (const name of ["dragenter", "dragover"]) form.addEventListener(name, (event) => { event.preventDefault(); form.classList.add("over"); });
    for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      form.requestSubmit();
    });
  }
  function improve() {
    document.querySelectorAll("details.picker").forEach(improvePicker);
    document.querySelectorAll("form.drop").forEach(improveUpload);
    document.querySelectorAll("table.columns select").forEach((select) => {
      select.onchange = () => { select.closest("tr").className = "role-" + select.value; };
    });
  }
  document.addEventListener("DOMContentLoaded", improve);
  document.addEventListener("htmx:afterSettle", improve);
  // A study that has ended has a page that says why.
  document.addEventListener("htmx:responseError", (event) => {
    if ([404, 410].includes(event.detail.xhr.status)) window.location.reload();
  });
})();
