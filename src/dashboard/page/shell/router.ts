import { signal } from '@preact/signals';

/** A place in the page: `#/list/pods?namespace=default` is the path `['list', 'pods']` with one parameter. */
export interface Route {
  readonly path: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

export type Parameters = Readonly<Record<string, string | undefined>>;

/** Places of the page are fragments, so that it can be served below any path and the server learns nothing of them. */
export class Router {
  readonly route = signal<Route>(readRoute());

  /** Listens to the address until the signal aborts. */
  listen(signal: AbortSignal): void {
    const read = (): void => {
      this.route.value = readRoute();
    };
    addEventListener('hashchange', read, { signal });
    addEventListener('popstate', read, { signal });
  }

  go(path: readonly string[], parameters: Parameters = {}): void {
    location.hash = linkTo(path, parameters);
  }

  /** Changes parameters of the present place, without a step in the browser's history. */
  adjust(parameters: Parameters): void {
    const { path, parameters: before } = this.route.value;
    history.replaceState(null, '', linkTo(path, { ...before, ...parameters }));
    this.route.value = readRoute();
  }
}

export function linkTo(path: readonly string[], parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, value);
  const text = query.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return {
    path: path.split('/').filter(Boolean).map(decode),
    parameters: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand
  }
}
