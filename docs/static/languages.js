/* One language at a time: a row of buttons above each group of blocks; the choice holds for all pages. */
document.addEventListener("DOMContentLoaded", () => {
  const groups = [...document.querySelectorAll(".languages")];
  const show = (language) => groups.forEach((group) => {
    const names = group.names, chosen = names.includes(language) ? language : names[0];
    [...group.querySelectorAll("button.language")].forEach((button) => {
      button.setAttribute("aria-pressed", button.textContent === chosen);
    });
    group.blocks.forEach((block, k) => { block.hidden = names[k] !== chosen; });
  });
  groups.forEach((group) => {
    group.blocks = [...group.children];
    group.names = group.blocks.map((block) => { const name = block.querySelector("p"); name.hidden = true; return name.textContent; });
    const row = document.createElement("div");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", "Language");
    group.names.forEach((name) => {
      const button = document.createElement("button");
      button.type = "button"; button.className = "language"; button.textContent = name;
      button.onclick = () => { try { localStorage.language = name; } catch (error) { /* pages opened from disk */ } show(name); };
      row.append(button);
    });
    group.prepend(row);
  });
  let stored = null;
  try { stored = localStorage.language; } catch (error) { /* the same */ }
  show(stored);
});
