// The attempts of an iteration as a real table: text is never HTML, each program can be opened with the keyboard.
export default function ({ data, parentElement, setTriggerValue }) {
  const frame = parentElement.querySelector(".frame")
  frame.style.maxHeight = `${data.height}px`
  const table = element("table", "attempts")
  table.setAttribute("aria-label", data.label)
  const head = element("tr", "")
  for (const column of data.columns) {
    const cell = element("th", column.kind, column.title)
    cell.scope = "col"
    cell.title = column.help
    head.append(cell)
  }
  head.append(element("th", "read"))
  head.lastChild.setAttribute("aria-label", "open")
  const body = element("tbody", "")
  body.append(...data.rows.map((row, place) => line(row, place, data.columns, setTriggerValue)))
  const top = element("thead", "")
  top.append(head)
  table.append(top, body)
  const before = frame.scrollTop
  frame.replaceChildren(table)
  frame.scrollTop = before
}

function line(row, place, columns, setTriggerValue) {
  const made = element("tr", row.tone)
  columns.forEach((column, number) => {
    const cell = element("td", column.kind)
    const text = element("span", "text", row.cells[number])
    cell.title = row.titles[number] || row.cells[number]
    cell.append(text)
    made.append(cell)
  })
  const last = element("td", "read")
  if (row.readable) {
    const button = element("button", "", "read")
    button.type = "button"
    button.setAttribute("aria-label", `read the program of attempt ${row.number ?? place + 1}`)
    button.onclick = () => setTriggerValue("read", place)
    last.append(button)
  }
  made.append(last)
  return made
}

function element(kind, name, text = "") {
  const made = document.createElement(kind)
  made.className = name
  made.textContent = text
  return made
}
