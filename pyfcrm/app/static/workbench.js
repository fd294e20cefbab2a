// The workbench's small manners: going to what is new, telling a role that was chosen from one that was suggested, and
// one stop of the Tab key for each upload.
"use strict";

(function () {
  function show(id) {
    const one = document.getElementById(id);
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (one) one.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
  }

  Shiny.addCustomMessageHandler("studio-show", ({ id }) => {
    $(document).one("shiny:idle", () => setTimeout(() => show(id), 50));
  });

  $(document).on("change", (event) => {
    const row = event.target.closest("table.columns tr[data-role]");
    if (row && event.target.tagName === "SELECT") row.classList.toggle("own", event.target.value !== row.dataset.role);
  });

  // A table that scrolls sideways can be reached by Tab, and so be scrolled by the keyboard.
  function reachable() {
    for (const one of document.querySelectorAll(".wide")) {
      const wide = one.scrollWidth > one.clientWidth;
      for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "a table, which scrolls sideways"]]) {
        if (wide) one.setAttribute(name, value);
        else one.removeAttribute(name);
      }
    }
  }
  window.addEventListener("resize", reachable);
  document.addEventListener("toggle", reachable, true);
  document.addEventListener("shown.bs.tab", reachable);
  $(document).on("shiny:idle", () => setTimeout(reachable, 50));

  // A method of the recommendation's table.
  document.addEventListener("click", (event) => {
    const one = event.target.closest("button[data-try]");
    if (one) Shiny.setInputValue(one.closest(".workbench").dataset.one, Number(one.dataset.try), { priority: "event" });
  });

  // The session as it stands stays with the tab; after a reload it goes back as any upload does.
  const KEPT = "pyfcrm-session";
  const last = () => document.querySelector("[data-last=session]");
  Shiny.addCustomMessageHandler("studio-keep", ({ text }) => {
    try { sessionStorage.setItem(KEPT, text); } catch (error) { sessionStorage.removeItem(KEPT); }
    last().hidden = true;
  });
  $(document).on("shiny:connected", () => { last().hidden = !sessionStorage.getItem(KEPT); });
  document.addEventListener("click", (event) => {
    if (event.target !== last()) return;
    const input = document.getElementById("workbench-session"), files = new DataTransfer();
    files.items.add(new File([sessionStorage.getItem(KEPT)], "session.toml"));
    input.files = files.files;
    $(input).trigger("change");
    last().hidden = true;
  });

  // The text beside the button of an upload only shows a name.
  function once() {
    for (const one of document.querySelectorAll(".input-group input[type=text][readonly]")) one.tabIndex = -1;
  }
  $(document).on("shiny:connected", once);

  // Tabs that came later than the page become tabs too.
  $(document).on("shiny:bound", () => {
    for (const one of document.querySelectorAll("ul.nav:has([role=tab])")) {
      one.setAttribute("role", "tablist");
      for (const item of one.children) item.setAttribute("role", "presentation");
    }
  });

  // "Upload complete" is no word on whether the file was taken: that is said below.
  $(document).on("shiny:value", (event) => {
    if (!/file_said$/.test(event.name)) return;
    for (const bar of document.querySelectorAll(".shiny-file-input-progress")) {
      if (/complete/.test(bar.textContent)) bar.style.visibility = "hidden";
    }
  });
})();
