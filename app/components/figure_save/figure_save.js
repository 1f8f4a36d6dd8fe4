// Plotly makes the file in the browser; its own camera button knows how, but only in one format. It is told the other.
export default function ({ data, parentElement }) {
  const save = (event) => {
    const format = event.target.closest("button")?.dataset.format
    const plot = document.querySelector(`.st-key-${CSS.escape(data.chart)} .js-plotly-plot`)
    const camera = [...(plot?.querySelectorAll(".modebar-btn") ?? [])].find((button) =>
      /^download plot/i.test(button.dataset.title ?? button.getAttribute("data-title") ?? "")
    )
    if (!format || !camera) return
    const before = plot._context.toImageButtonOptions
    plot._context.toImageButtonOptions = { ...before, format, filename: data.name, scale: format === "png" ? 2 : 1 }
    camera.dispatchEvent(new MouseEvent("click", { bubbles: true }))
    plot._context.toImageButtonOptions = before
  }
  const face = parentElement.querySelector(".save")
  face.addEventListener("click", save)
  return () => face.removeEventListener("click", save)
}
