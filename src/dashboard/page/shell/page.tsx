import { useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { lazyView } from '../parts/lazy-view.tsx';
import { ListView } from '../tables/list-view.tsx';
import { Problem } from '../parts/problem.tsx';
import type { ThemeChoice } from '../parts/theme.ts';
import { useApp } from './app-context.ts';
import { Gate } from './gate.tsx';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { listenToKeys } from './key-bindings.ts';
import { Navigation } from './navigation.tsx';
import { NoticeList } from './notice-list.tsx';
import type { Route } from './router.ts';
import { Search } from './search.tsx';

/** Everything: the bars around and the view that the address names. */
export function Page({ theme }: { readonly theme: ThemeChoice }) {
  const app = useApp();
  const { connection, router } = app;
  const isSearching = useSignal(false);
  const isHelping = useSignal(false);
  const isMenuOpen = useSignal(false);
  useSignalEffect(() => {
    void router.route.value;
    isMenuOpen.value = false;
  });
  useLayoutEffect(() => {
    const stop = new AbortController();
    const actions = {
      go: (path: readonly string[]) => router.go(path),
      search: () => (isSearching.value = true),
      help: () => (isHelping.value = true),
      focusFilter: () => focus('filter'),
      nextTheme: () => theme.next(),
      focusNamespace: () => void focus('namespace'),
    };
    listenToKeys(actions, stop.signal); // from the first picture on
    return () => stop.abort();
  }, []);
  const reachability = connection.reachability.value;
  if (reachability.type === 'locked') return <Gate message={reachability.message} wants={reachability.wants} />;
  return (
    <div class={`page ${isMenuOpen.value ? 'menu-open' : ''}`}>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), focus('main'))}>
        To the content
      </a>
      <Header
        theme={theme}
        isMenuOpen={isMenuOpen}
        onSearch={() => (isSearching.value = true)}
        onHelp={() => (isHelping.value = true)}
      />
      {reachability.type === 'away' ? (
        <p class="banner bad" role="alert">
          The server does not answer. What you see may be old; the page asks again until it is back.
        </p>
      ) : null}
      <Navigation />
      <main id="main" class={app.moment.value === undefined ? '' : 'past'} tabIndex={-1}>
        {app.walk.value === undefined ? (
          <View />
        ) : (
          <div class="with-walk">
            <div>
              <View />
            </div>
            <WalkPanel />
          </div>
        )}
      </main>
      <footer class="bottom">
        {connection.info.value?.canStep === true ? <ClusterClock /> : null}
        {connection.info.value?.canSeePast === true ? <TimeBar /> : null}
      </footer>
      <NoticeList />
      {isSearching.value ? <Search onClose={() => (isSearching.value = false)} /> : null}
      {isHelping.value ? <Help onClose={() => (isHelping.value = false)} /> : null}
    </div>
  );
}

function focus(id: string): boolean {
  const element = document.getElementById(id);
  element?.focus();
  return element !== null;
}

const ObjectView = lazyView(() => import('../object/object-view.tsx').then((module) => module.ObjectView));
const NewObject = lazyView(() => import('../edit/new-object.tsx').then((module) => module.NewObject));

const OverviewView = lazyView(() => import('../overview/overview-view.tsx').then((module) => module.OverviewView));
const CausesView = lazyView(() => import('../causes/causes-view.tsx').then((module) => module.CausesView));
const RequestsView = lazyView(() => import('../requests/requests-view.tsx').then((module) => module.RequestsView));
const HistoryView = lazyView(() => import('../past/history-view.tsx').then((module) => module.HistoryView));
const ExtensionsView = lazyView(() =>
  import('../extensions/extensions-view.tsx').then((module) => module.ExtensionsView),
);
const TryView = lazyView(() => import('../extensions/try-view.tsx').then((module) => module.TryView));
const TimeBar = lazyView(() => import('../past/time-bar.tsx').then((module) => module.TimeBar));
const LearnView = lazyView(() => import('../learn/learn-view.tsx').then((module) => module.LearnView));
const WalkPanel = lazyView(() => import('../learn/learn-view.tsx').then((module) => module.WalkPanel));
const ClusterClock = lazyView(() => import('../motion/cluster-clock.tsx').then((module) => module.ClusterClock));

/** The view of the present address. */
function View() {
  const { router } = useApp();
  const route = router.route.value;
  switch (route.path[0] ?? 'overview') {
    case 'list':
    case 'object':
    case 'new':
      return <KindView route={route} />;
    case 'overview':
      return <OverviewView />;
    case 'causes':
      return <CausesView key={location.hash} route={route} />;
    case 'requests':
      return <RequestsView route={route} />;
    case 'history':
      return <HistoryView route={route} />;
    case 'extensions':
      return <ExtensionsView route={route} />;
    case 'learn':
      return <LearnView />;
    case 'try':
      return <TryView />;
    default:
      return <p class="empty">There is nothing here.</p>;
  }
}

/** The views of a kind: its list, one object, or a new one. */
function KindView({ route }: { readonly route: Route }) {
  const { discovery } = useApp();
  // objects without a namespace may be named without a place for it
  const [view, resource = '', namespace = '-', name = ''] =
    route.path.length === 3 ? [...route.path.slice(0, 2), '-', ...route.path.slice(2)] : route.path;
  const kind = discovery.find(resource);
  if (kind === undefined) {
    if (!discovery.isLoaded.value) return <p class="empty">Loading…</p>;
    return <Problem error={new Error(`The server has no resource "${resource}"`)} what="this view" />;
  }
  if (view === 'list') return <ListView kind={kind} route={route} />;
  if (view === 'new') return <NewObject key={resource} kind={kind} />;
  return (
    <ObjectView
      key={route.path.join('/')}
      kind={kind}
      namespace={namespace === '-' ? '' : namespace}
      name={name}
      route={route}
    />
  );
}
