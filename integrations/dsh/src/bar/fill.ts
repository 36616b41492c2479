/** Writing the host's input, on the hosts that let a plugin do it. */
import type { InputActions } from './host.ts'

/** Gives whether the host took the call; whether the text is there shows the draft. */
export function fillInput(actions: InputActions, text: string): boolean {
  const { setDraft, captureInsertion, insertText } = actions
  try {
    if (captureInsertion !== undefined && insertText !== undefined) {
      return insertText.call(actions, text, captureInsertion.call(actions)) === true
    }
    if (setDraft === undefined) return false
    setDraft.call(actions, text)
    return true
  } catch {
    return false
  }
}

const BOX = 'textarea, [contenteditable="true"], [contenteditable=""]'

/** The input box that belongs to an element near it: the first one in the closest ancestor that holds one. */
export function boxNear(element: Element | null): Element | undefined {
  for (let around = element?.parentElement; around !== null && around !== undefined; around = around.parentElement) {
    const box = around.querySelector(BOX)
    if (box !== null) return box
  }
  return undefined
}

export function isEmpty(box: Element): boolean {
  return (box instanceof HTMLTextAreaElement ? box.value : (box.textContent ?? '')) === ''
}
