/** The bar's look: geometry and colours only from the host's tokens, so that it follows every theme. */

const CSS = `
.suggest-dock{box-sizing:border-box;position:relative;width:calc(100% - 2*var(--dsh-composer-side-clearance,16px) - 4*var(--dsh-composer-dock-inset,8px));margin:0 auto;container-type:inline-size}
/* An open queue panel tucks itself under what follows; the bar gives it its room back. */
.suggest-dock[data-queue="open"]{margin-top:calc(var(--dsh-composer-stack-gap,0px) + 3px)}
.suggest-bar{box-sizing:border-box;width:100%;max-width:calc(var(--dsh-composer-card-max-width,780px) - 4*var(--dsh-composer-dock-inset,8px));margin:0 auto;padding:4px 5px 4px 12px;border:1px solid var(--dsw-alias-border-l1);border-radius:12px;background:var(--dsw-specific-tip)}
.suggest-row{display:flex;align-items:center;gap:10px;min-height:26px}
.suggest-icon{flex:none;display:inline-flex;color:var(--dsw-alias-label-tertiary)}
.suggest-bar[data-status="ready"] .suggest-icon{color:var(--dsw-alias-state-business-primary)}
.suggest-bar[data-status="analyzing"] .suggest-icon{animation:suggest-breathe 1.6s ease-in-out infinite}
@keyframes suggest-breathe{50%{opacity:.35}}
@media (prefers-reduced-motion:reduce){.suggest-bar[data-status="analyzing"] .suggest-icon{animation:none}}
.suggest-label{flex:none;font-size:13px;line-height:24px;font-weight:500;color:var(--dsw-alias-label-primary);white-space:nowrap}
.suggest-prompt{flex:1;min-width:0;margin:0;padding:2px 4px;border:0;border-radius:6px;background:none;font:inherit;font-size:13px;line-height:20px;text-align:start;color:var(--dsw-alias-label-primary-dimmed,var(--dsw-alias-label-secondary));cursor:pointer;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
button.suggest-prompt:hover{background:var(--dsw-alias-interactive-bg-hover)}
.suggest-prompt[data-plain]{cursor:default;white-space:normal}
.suggest-prompt[data-error]{color:var(--dsw-alias-state-error-primary)}
.suggest-whole{display:block;width:100%;box-sizing:border-box;max-height:min(40vh,240px);overflow-y:auto;white-space:pre-wrap;overflow-wrap:anywhere;user-select:text;color:var(--dsw-alias-label-primary);padding:4px;margin:2px 0;padding-inline-start:26px}
.suggest-model{flex:0 2 auto;min-width:0;max-width:140px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:11px;line-height:16px;color:var(--dsw-alias-label-tertiary)}
.suggest-actions{flex:none;display:flex;align-items:center;gap:4px}
.suggest-button{flex:none;height:26px;padding:0 10px;border:0;border-radius:999px;background:none;color:var(--dsw-alias-label-secondary);font:inherit;font-size:12px;line-height:26px;white-space:nowrap;cursor:pointer}
.suggest-button:hover{background:var(--dsw-alias-interactive-bg-hover);color:var(--dsw-alias-label-primary)}
.suggest-button[data-main]{background:var(--dsw-alias-interactive-bg-hover);color:var(--dsw-alias-label-primary)}
.suggest-button[aria-pressed="true"]{color:var(--dsw-alias-state-business-primary)}
.suggest-button:disabled{opacity:.4;cursor:default}
.suggest-button:focus-visible,.suggest-prompt:focus-visible{outline:2px solid var(--dsw-alias-state-business-primary);outline-offset:-1px}
.suggest-notes{display:flex;flex-wrap:wrap;align-items:center;gap:0 12px;padding:0 4px 2px 26px;font-size:12px;line-height:18px;color:var(--dsw-alias-label-tertiary)}
.suggest-notes [data-tone="error"]{color:var(--dsw-alias-state-error-primary)}
.suggest-notes [data-tone="strong"]{color:var(--dsw-alias-label-secondary)}
.suggest-notes .suggest-button{height:22px;line-height:22px}
@container (max-width:620px){
.suggest-row{flex-wrap:wrap;gap:0 8px}
.suggest-row .suggest-prompt{order:3;flex:1 1 100%;margin-inline-start:22px}
.suggest-row .suggest-prompt[aria-hidden]{display:none}
.suggest-row .suggest-prompt[data-plain]:not([aria-hidden]){order:4;flex:1 1 120px;white-space:normal}
.suggest-row .suggest-model{order:4;flex:1 1 0;max-width:none;margin-inline-start:26px}
.suggest-actions{order:5;margin-inline-start:auto}
.suggest-row .suggest-label{flex:1 1 calc(100% - 32px)}
}
`

export function addStyle(): () => void {
  const id = 'dsh-suggest/bar.css'
  document.querySelector(`style[data-plugin-css="${id}"]`)?.remove()
  const tag = document.createElement('style')
  tag.dataset['plugin'] = 'dsh-suggest'
  tag.dataset['pluginCss'] = id
  tag.textContent = CSS
  document.head.appendChild(tag)
  return () => tag.remove()
}
