import { useComputed, useSignal } from '@preact/signals';
import { resourceName, type ResourceKind } from '../cluster/resource-kind.ts';
import { useApp } from './app-context.ts';
import { sectionsOf } from './kind-sections.ts';
import { linkTo } from './router.ts';

interface View {
  readonly path: string;
  readonly title: string;
  readonly key: string;
}

/** Views that are not lists of one kind. */
export const VIEWS: readonly View[] = [
  { path: 'overview', title: 'Overview', key: 'o' },
  { path: 'causes', title: 'Because of what', key: 'c' },
  { path: 'requests', title: 'Requests', key: 'r' },
  { path: 'history', title: 'What changed', key: 'h' },
  { path: 'extensions', title: 'Extension points', key: 'e' },
  { path: 'try', title: 'What would happen?', key: 'w' },
];

/** All views and all kinds that the server serves. */
export function Navigation() {
  const { discovery, router, connection } = useApp();
  const sections = useComputed(() => sectionsOf(discovery.kinds.value));
  const route = router.route.value;
  const current = ['list', 'object', 'new'].includes(route.path[0] ?? '') ? route.path[1] : undefined;
  const view = route.path[0] ?? 'overview';
  const canSeeRequests = connection.info.value?.canSeeRequests !== false;
  return (
    <nav id="views" class="side" aria-label="Views and kinds">
      <ul>
        {VIEWS.filter(({ path }) => path !== 'requests' || canSeeRequests).map(({ path, title, key }) => (
          <li key={path}>
            <a href={linkTo([path])} aria-current={view === path ? 'page' : undefined}>
              {title}
              <kbd aria-hidden="true">g {key}</kbd>
            </a>
          </li>
        ))}
        {connection.info.value?.canLearn === true ? (
          <li>
            <a href={linkTo(['learn'])} aria-current={view === 'learn' ? 'page' : undefined}>
              Learn
              <kbd aria-hidden="true">g l</kbd>
            </a>
          </li>
        ) : null}
      </ul>
      {sections.value.map(({ title, type, kinds }) => (
        <KindSection key={title} title={title} kinds={kinds} current={current} isOpenAtFirst={type !== 'built-in'} />
      ))}
      {discovery.problem.value === undefined ? null : <p class="problem">{discovery.problem.value}</p>}
    </nav>
  );
}

function KindSection({
  title,
  kinds,
  current,
  isOpenAtFirst,
}: {
  readonly title: string;
  readonly kinds: readonly ResourceKind[];
  readonly current: string | undefined;
  readonly isOpenAtFirst: boolean;
}) {
  const chosen = useSignal<boolean | undefined>(undefined);
  const hasCurrent = kinds.some((kind) => resourceName(kind) === current);
  const isOpen = chosen.value ?? (isOpenAtFirst || hasCurrent);
  return (
    <section>
      <h2>
        <button type="button" aria-expanded={isOpen} onClick={() => (chosen.value = !isOpen)}>
          <span class="twist" aria-hidden="true" />
          {title}
        </button>
      </h2>
      {isOpen ? (
        <ul>
          {kinds.map((kind) => {
            const name = resourceName(kind);
            return (
              <li key={name}>
                <a href={linkTo(['list', name])} aria-current={name === current ? 'page' : undefined} title={name}>
                  {kind.kind}
                </a>
              </li>
            );
          })}
        </ul>
      ) : null}
    </section>
  );
}
