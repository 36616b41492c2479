/** The parts of dsh's page that the bar touches, by shape. */
import type { createElement, useCallback, useEffect, useRef, useState } from 'react'

export interface React {
  createElement: typeof createElement
  useEffect: typeof useEffect
  useRef: typeof useRef
  useState: typeof useState
  useCallback: typeof useCallback
}

export interface PageContext {
  effect(setup: () => () => void, label?: string): unknown
  get?(service: string): unknown
  inject?(services: string[], run: (ctx: PageContext) => void): unknown
  slots: {
    inject(slot: string, register: () => unknown): unknown
    register(entry: Record<string, unknown>, component: unknown): unknown
  }
  locale: { register(namespace: string, copy: Record<string, Record<string, string>>): () => void; bind?(namespace: string): (key: string) => string }
  remote: { commands: { execute(session: string, line: string, images: unknown[]): Promise<unknown> } }
  connection: { rpc: { call(channel: string, endpoint: string, payload: unknown): Promise<unknown> } }
}

export interface InputActions {
  setDraft?(text: string): void
  /** Newer hosts: where the text would go, and putting it there. */
  captureInsertion?(): unknown
  insertText?(text: string, span: unknown): unknown
}

export interface SessionView {
  running: boolean
  subagent: unknown
}
