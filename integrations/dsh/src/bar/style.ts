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
.suggest-button:disabled,.suggest-button[aria-disabled="true"]{opacity:.4;cursor:default}
.suggest-button:focus-visible,.suggest-prompt:focus-visible{outline:2px solid var(--dsw-alias-state-business-primary);outline-offset:-1px}
.suggest-notes{display:flex;flex-wrap:wrap;align-items:center;gap:0 12px;padding:0 4px 2px 26px;font-size:12px;line-height:18px;color:var(--dsw-alias-label-tertiary)}
.suggest-notes [data-tone="error"]{color:var(--dsw-alias-state-error-primary)}
.suggest-notes [data-tone="strong"]{color:var(--dsw-alias-label-secondary)}
.suggest-notes .suggest-button{height:22px;line-height:22px}
/* The guess under the input. */
.suggest-tip{box-sizing:border-box;width:100%;padding:0 8px}
.suggest-tip-button{display:flex;align-items:center;gap:8px;max-width:100%;margin:0 auto;padding:2px 8px;border:0;border-radius:999px;background:none;color:var(--dsw-alias-label-secondary);font:inherit;font-size:12px;line-height:20px;cursor:pointer}
.suggest-tip-button:hover{background:var(--dsw-alias-interactive-bg-hover)}
.suggest-tip-button:focus-visible,.suggest-header-button:focus-visible,.suggest-input:focus-visible{outline:2px solid var(--dsw-alias-state-business-primary);outline-offset:-1px}
.suggest-tip-label{flex:none;color:var(--dsw-alias-label-tertiary)}
.suggest-tip-text{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-style:italic}
.suggest-tip-key{flex:none;padding:0 6px;border:1px solid var(--dsw-alias-border-l1);border-radius:6px;font:inherit;font-size:11px;line-height:16px;color:var(--dsw-alias-label-tertiary)}
.suggest-tip-failed{display:block;text-align:center;font-size:12px;color:var(--dsw-alias-state-error-primary)}
/* The advisor of a session. */
.suggest-header{position:relative;flex:none}
.suggest-header-button{display:inline-flex;align-items:center;gap:6px;height:28px;padding:0 10px;border:0;border-radius:999px;background:none;color:var(--dsw-alias-label-secondary);font:inherit;font-size:13px;line-height:28px;white-space:nowrap;cursor:pointer}
.suggest-header-button:hover,.suggest-header-button[aria-expanded="true"]{background:var(--dsw-alias-interactive-bg-hover);color:var(--dsw-alias-label-primary)}
.suggest-dot{width:7px;height:7px;border-radius:50%;background:var(--dsw-alias-label-tertiary)}
[data-suggest-advisor="idle"] .suggest-dot,[data-suggest-advisor="reviewing"] .suggest-dot{background:var(--dsw-alias-state-business-primary)}
[data-suggest-advisor="reviewing"] .suggest-dot{animation:suggest-breathe 1.6s ease-in-out infinite}
[data-suggest-advisor="paused"] .suggest-dot,[data-suggest-advisor="halted"] .suggest-dot,[data-blocker] .suggest-dot{background:var(--dsw-alias-state-error-primary)}
.suggest-pop{box-sizing:border-box;position:fixed;z-index:100;width:min(320px,calc(100vw - 24px));max-height:min(70vh,480px);overflow-y:auto;padding:12px 14px;border:1px solid var(--dsw-alias-border-inverted,var(--dsw-alias-border-l1));border-radius:12px;background:var(--dsw-specific-menu,var(--dsw-alias-bg-base));box-shadow:var(--dsw-shadow-lv3,0 8px 28px rgb(0 0 0/.16));color:var(--dsw-alias-label-primary);font-size:13px;line-height:20px}
.suggest-pop:focus,.suggest-card:focus{outline:none}
.suggest-pop p{margin:0}
.suggest-pop-title{display:flex;align-items:baseline;justify-content:space-between;gap:8px;font-weight:500}
.suggest-pop-status{font-size:12px;font-weight:400;color:var(--dsw-alias-label-tertiary)}
.suggest-pop-line{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 8px;padding-top:8px;overflow-wrap:anywhere}
.suggest-chip{padding:0 8px;border-radius:999px;background:var(--dsw-alias-interactive-bg-hover);font-size:11px;line-height:18px;color:var(--dsw-alias-label-secondary)}
.suggest-pop-fields{display:flex;flex-direction:column;gap:6px;padding-top:10px}
.suggest-pop-actions{display:flex;flex-wrap:wrap;gap:6px;padding-top:10px}
.suggest-pop-note,.suggest-card-note{font-size:12px;line-height:18px;color:var(--dsw-alias-label-tertiary);overflow-wrap:anywhere}
.suggest-pop .suggest-pop-note{padding-top:8px}
[data-tone="error"].suggest-pop-note,[data-tone="error"].suggest-card-note{color:var(--dsw-alias-state-error-primary)}
/* The settings. */
.suggest-card{box-sizing:border-box;display:flex;flex-direction:column;gap:14px;width:100%;max-width:640px;padding:4px 0 12px;container-type:inline-size;font-size:13px;line-height:20px;color:var(--dsw-alias-label-primary)}
.suggest-card p{margin:0}
.suggest-card-pair{display:grid;grid-template-columns:1fr 1fr;gap:14px}
.suggest-field{display:flex;flex-direction:column;gap:4px;min-width:0}
.suggest-field-label{font-size:12px;line-height:18px;color:var(--dsw-alias-label-secondary)}
.suggest-field-hint{font-size:11px;line-height:16px;color:var(--dsw-alias-label-tertiary)}
.suggest-input{box-sizing:border-box;width:100%;min-height:32px;padding:5px 10px;border:1px solid var(--dsw-alias-border-l2,var(--dsw-alias-border-l1));border-radius:8px;background:var(--dsw-alias-bg-layer-3,var(--dsw-alias-bg-base));color:var(--dsw-alias-label-primary);font:inherit;font-size:13px}
textarea.suggest-input{resize:vertical}
.suggest-input:disabled{opacity:.5}
.suggest-check{display:flex;align-items:center;gap:8px}
.suggest-card-foot{display:flex;flex-wrap:wrap;align-items:center;gap:8px}
.suggest-card-foot .suggest-card-note{flex:1 1 200px}
@container (max-width:480px){.suggest-card-pair{grid-template-columns:1fr}}
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
