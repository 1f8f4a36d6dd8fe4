// A list of policies: sigma as a bar, name, origin, payoff, and one line of the docstring. Text is never HTML.
export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector(".policies")
  list.setAttribute("aria-label", data.label)
  list.style.maxHeight = `${data.height}px`
  const before = list.scrollTop
  list.replaceChildren(...data.items.map((item) => row(item, data.selected, setTriggerValue)))
  list.scrollTop = before
  if (list.dataset.shown !== data.selected) {
    list.dataset.shown = data.selected
    list.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" })
  }
}

function row(item, selected, setTriggerValue) {
  const button = element("button", "policy")
  button.type = "button"
  button.title = item.title
  button.setAttribute("aria-current", String(item.id === selected))
  const bar = element("span", "bar")
  const fill = element("span", "fill")
  fill.style.width = `${Math.max(item.weight > 0 ? 4 : 0, Math.round(100 * item.weight))}%`
  fill.style.background = item.colour
  bar.append(fill)
  const head = element("span", "head")
  head.append(element("span", "name", item.name), element("span", "payoff", item.payoff))
  const tail = element("span", "tail")
  tail.append(element("span", "origin", item.origin), element("span", "about", item.about))
  const text = element("span", "words")
  text.append(head, tail)
  const weight = element("span", "weight", item.share)
  const left = element("span", "left")
  left.append(bar, weight)
  button.append(left, text)
  button.onclick = () => setTriggerValue("picked", item.id)
  return button
}

function element(kind, name, text = "") {
  const made = document.createElement(kind)
  made.className = name
  made.textContent = text
  return made
}
