/** After `g`, a letter leads to a place. */
export const PLACES: Readonly<Record<string, readonly [title: string, path: readonly string[]]>> = {
  o: ['Overview', ['overview']],
  p: ['Pods', ['list', 'pods']],
  d: ['Deployments', ['list', 'deployments.apps']],
  s: ['Services', ['list', 'services']],
  m: ['ConfigMaps', ['list', 'configmaps']],
  n: ['Nodes', ['list', 'nodes']],
  v: ['Events', ['list', 'events']],
  k: ['Custom kinds', ['list', 'customresourcedefinitions.apiextensions.k8s.io']],
  c: ['Because of what', ['causes']],
  r: ['Requests', ['requests']],
  h: ['What changed', ['history']],
  e: ['Extension points', ['extensions']],
  w: ['What would happen?', ['try']],
  l: ['Learn', ['learn']],
};

export interface KeyActions {
  readonly go: (path: readonly string[]) => void;
  readonly search: () => void;
  readonly help: () => void;
  readonly focusFilter: () => boolean;
  readonly nextTheme: () => void;
  readonly focusNamespace: () => void;
}

/** Listens to keys that work everywhere but in fields, until the signal aborts. */
export function listenToKeys(actions: KeyActions, signal: AbortSignal): void {
  let isAfterG = false;
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      actions.search();
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const place = isAfterG ? PLACES[event.key] : undefined;
    isAfterG = !isAfterG && event.key === 'g';
    if (place !== undefined) actions.go(place[1]);
    else if (event.key === '/') {
      if (!actions.focusFilter()) actions.search();
    } else if (event.key === '?') actions.help();
    else if (event.key === 't') actions.nextTheme();
    else if (event.key === 'n') actions.focusNamespace();
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', onKeyDown, { signal });
}

function isTyping(event: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  // events from inside an editor or a terminal have these as their target from outside
  return event
    .composedPath()
    .some(
      (target) =>
        target instanceof HTMLElement &&
        (target.isContentEditable ||
          (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && (target as HTMLInputElement).type !== 'checkbox')),
    );
}
