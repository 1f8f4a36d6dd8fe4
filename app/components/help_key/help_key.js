// Listens for "?" on the whole page, but not while somebody types and not behind a dialog.
const states = new WeakMap()
const TYPING = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea, select, [role=textbox]"

export default function ({ parentElement, setTriggerValue }) {
  const state = states.get(parentElement) ?? {}
  state.send = setTriggerValue
  if (!state.listener) {
    state.listener = (event) => {
      const other = event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing
      if (event.key !== "?" || other || document.querySelector('[role="dialog"]')) return
      // The editor lives in a shadow tree: only the path of the event leads to what has the focus.
      const typing = event.composedPath().some(
        (one) => one instanceof HTMLElement && (one.isContentEditable || one.matches(TYPING))
      )
      if (!typing) state.send("pressed", true)
    }
    document.addEventListener("keydown", state.listener)
    states.set(parentElement, state)
  }
  return () => {
    document.removeEventListener("keydown", state.listener)
    states.delete(parentElement)
  }
}
