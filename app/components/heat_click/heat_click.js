// Clicks on the cells of a heat-map. Streamlit's own selection knows points only, and a heat-map has none.
const states = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  const selector = `.st-key-${CSS.escape(data.chart)} .js-plotly-plot`
  const state = states.get(parentElement) ?? { plot: null, observer: null }
  states.set(parentElement, state)
  state.send = setTriggerValue

  const attach = () => {
    const plot = document.querySelector(selector)
    if (!plot || plot === state.plot || typeof plot.on !== "function") return
    state.plot = plot
    plot.dataset.clicks = "on"
    plot.on("plotly_click", (event) => {
      const point = event.points?.find((candidate) => candidate.data.type === "heatmap")
      if (point) state.send("cell", { row: point.pointIndex[0], column: point.pointIndex[1] })
    })
  }
  if (!state.observer) {
    // Streamlit mounts a new plot whenever the figure changes.
    state.observer = new MutationObserver(attach)
    const options = { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] }
    state.observer.observe(document.body, options)
  }
  attach()
  return () => {
    state.observer.disconnect()
    states.delete(parentElement)
  }
}
