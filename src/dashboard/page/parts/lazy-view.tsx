import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Problem } from './problem.tsx';

/** A view whose code is loaded when it is first shown. */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function LazyView(props: Props) {
    const isLoaded = useSignal(loaded !== undefined);
    const error = useSignal<unknown>(undefined);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          isLoaded.value = true;
        },
        (cause: unknown) => (error.value = cause),
      );
    }, []);
    if (error.value !== undefined)
      return <Problem error={error.value} what="this view: its code could not be loaded" />;
    const View = isLoaded.value ? loaded : undefined;
    return View === undefined ? <p class="empty">Loading…</p> : <View {...props} />;
  };
}
