// The code editor of the dashboard: CodeMirror 6 as a renderer of Streamlit's components v2.
// Bundled into editor.js by `npm run build`; the page only ever loads the bundle.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { python } from "@codemirror/lang-python"
import {
  bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language"
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint"
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search"
import { EditorState } from "@codemirror/state"
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap,
  lineNumbers,
} from "@codemirror/view"
import { tags } from "@lezer/highlight"

// Streamlit's theme variables: one palette serves light, dark and a switch between them.
const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--st-violet-text-color)" },
  { tag: [tags.controlKeyword, tags.moduleKeyword, tags.definitionKeyword], color: "var(--st-violet-text-color)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--st-green-text-color)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--st-orange-text-color)" },
  { tag: tags.comment, color: "var(--st-gray-text-color)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))],
    color: "var(--st-blue-text-color)" },
  { tag: [tags.className, tags.typeName], color: "var(--st-blue-text-color)", fontWeight: "600" },
  { tag: [tags.self, tags.meta], color: "var(--st-red-text-color)" },
])

const theme = EditorView.theme({
  "&": {
    backgroundColor: "var(--st-code-background-color)", border: "1px solid var(--st-border-color)",
    borderRadius: "var(--st-base-radius)", color: "var(--st-text-color)", fontSize: "13px", height: "100%",
  },
  "&.cm-focused": { borderColor: "var(--st-primary-color)", outline: "none" },
  ".cm-scroller": { lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--st-text-color)", fontFamily: "var(--st-code-font)" },
  ".cm-cursor": { borderLeftColor: "var(--st-text-color)" },
  ".cm-gutters": {
    backgroundColor: "var(--st-code-background-color)", border: "none", color: "var(--st-gray-text-color)",
    fontFamily: "var(--st-code-font)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--st-primary-color) 8%, transparent)",
  },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--st-primary-color) 25%, transparent) !important",
  },
  ".cm-tooltip, .cm-panels": {
    backgroundColor: "var(--st-secondary-background-color)", border: "1px solid var(--st-border-color)",
    color: "var(--st-text-color)",
  },
})

function toDiagnostics(state, problems) {
  return problems.map((problem) => {
    const number = Math.min(Math.max(1, problem.line || 1), state.doc.lines)
    const line = state.doc.line(number)
    const indent = line.text.length - line.text.trimStart().length
    return { from: Math.min(line.from + indent, line.to), to: line.to, severity: "error", message: problem.message }
  })
}

function createEditor(instance, host, root, data) {
  const send = () => {
    clearTimeout(instance.timer)
    const text = instance.view.state.doc.toString()
    if (text !== instance.sent) {
      instance.sent = text
      instance.setStateValue("value", text)
    }
  }
  const submit = () => {
    // State and trigger in one go make one rerun; the trigger alone would leave the old text in the state.
    send()
    instance.setTriggerValue("submitted", instance.sent)
    return true
  }
  const onChange = EditorView.updateListener.of((update) => {
    if (update.docChanged && !instance.applying) {
      clearTimeout(instance.timer)
      instance.timer = setTimeout(send, instance.debounce)
    }
  })
  instance.view = new EditorView({
    doc: data.value,
    parent: host,
    root,
    extensions: [
      keymap.of([{ key: "Mod-Enter", run: submit }, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap,
        ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
      lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), foldGutter(), drawSelection(),
      indentUnit.of("    "), EditorState.tabSize.of(4), indentOnInput(), bracketMatching(), closeBrackets(),
      autocompletion(), highlightActiveLine(), highlightSelectionMatches(), python(), lintGutter(),
      syntaxHighlighting(highlighting), theme, onChange,
      // Without a tabindex, checkers of accessibility do not see that Tab reaches what is edited.
      EditorView.contentAttributes.of({ "aria-label": data.label, tabindex: "0" }),
      // The blur of the document itself: CodeMirror's own notice comes 10 ms later, after a fast click on a button.
      EditorView.domEventHandlers({ blur: () => { send(); return false } }),
    ],
  })
  instance.sent = data.value
  instance.revision = data.revision
}

function update(instance, data) {
  const view = instance.view
  // Python replaces the text only under a new revision, so a late rerun never overwrites what is being typed.
  if (data.revision !== instance.revision) {
    instance.revision = data.revision
    instance.sent = data.value
    instance.applying = true
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: data.value } })
    instance.applying = false
  }
  const found = toDiagnostics(view.state, data.problems)
  view.dispatch(setDiagnostics(view.state, found))
  const shown = JSON.stringify(data.problems)
  if (shown !== instance.shown && found.length) {
    view.dispatch({ effects: EditorView.scrollIntoView(found[0].from, { y: "center" }) })
  }
  instance.shown = shown
}

const instances = new WeakMap()

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const host = parentElement.querySelector(".editor")
  host.style.height = `${data.height}px`
  const instance = instances.get(parentElement) ?? {}
  Object.assign(instance, { debounce: data.debounce, setStateValue, setTriggerValue })
  if (!instance.view) {
    createEditor(instance, host, parentElement instanceof ShadowRoot ? parentElement : document, data)
    instances.set(parentElement, instance)
  }
  update(instance, data)
  return () => {
    clearTimeout(instance.timer)
    instance.view.destroy()
    instances.delete(parentElement)
  }
}
