import type { ComponentChildren } from 'preact';
import type { DashboardInfo } from '../../protocol.ts';
import { resourceName, type ObjectKey, type ResourceKind } from '../cluster/resource-kind.ts';
import { inNamespace, kubectl } from '../parts/kubectl-command.ts';
import { lazyView } from '../parts/lazy-view.tsx';
import { OverviewTab } from './overview-tab.tsx';
import type { TabProps } from './tab-props.ts';

export interface ObjectTab {
  readonly id: string;
  readonly title: string;
  readonly render: (props: TabProps) => ComponentChildren;
  /** The kubectl line that shows the same; undefined for tabs that show lines of their own. */
  readonly command?: (kind: ResourceKind, key: ObjectKey) => string | undefined;
}

const YamlTab = lazyView(() => import('./yaml-tab.tsx').then((module) => module.YamlTab));
const EditTab = lazyView(() => import('../edit/edit-tab.tsx').then((module) => module.EditTab));
const AppliedTab = lazyView(() => import('./applied-tab.tsx').then((module) => module.AppliedTab));
const LogsTab = lazyView(() => import('./logs-tab.tsx').then((module) => module.LogsTab));
const TerminalTab = lazyView(() => import('../terminal/terminal-tab.tsx').then((module) => module.TerminalTab));
const FilesTab = lazyView(() => import('../files/files-tab.tsx').then((module) => module.FilesTab));
const HistoryTab = lazyView(() => import('../past/history-tab.tsx').then((module) => module.HistoryTab));
const CausesTab = lazyView(() => import('../causes/causes-tab.tsx').then((module) => module.CausesTab));

const describe = (kind: ResourceKind, { namespace, name }: ObjectKey): string =>
  kubectl('describe', resourceName(kind), name, ...inNamespace(namespace));

const get = (kind: ResourceKind, { namespace, name }: ObjectKey): string =>
  kubectl('get', resourceName(kind), name, ...inNamespace(namespace), '-o', 'yaml');

/** What can be seen of objects of a kind. Subresources say what a kind can do, so custom kinds get what they support. */
export function objectTabs(kind: ResourceKind, info: DashboardInfo | undefined, isPast: boolean): ObjectTab[] {
  const canWrite = !isPast && info?.isReadOnly !== true;
  const tabs: (ObjectTab | false)[] = [
    { id: 'overview', title: 'Overview', render: (props) => <OverviewTab {...props} />, command: describe },
    { id: 'yaml', title: 'YAML', render: (props) => <YamlTab {...props} />, command: get },
    canWrite &&
      kind.verbs.has('update') && {
        id: 'edit',
        title: 'Edit',
        render: (props) => <EditTab {...props} />,
        command: () => undefined,
      },
    kind.subresources.has('log') &&
      !isPast && {
        id: 'logs',
        title: 'Logs',
        render: (props) => <LogsTab {...props} />,
        command: (_, { namespace, name }) => kubectl('logs', name, ...inNamespace(namespace), '--all-containers', '-f'),
      },
    kind.subresources.has('exec') &&
      canWrite && {
        id: 'terminal',
        title: 'Terminal',
        render: (props) => <TerminalTab {...props} />,
        command: (_, { namespace, name }) => kubectl('exec', '-it', name, ...inNamespace(namespace), '--', 'sh'),
      },
    kind.subresources.has('exec') &&
      canWrite && { id: 'files', title: 'Files', render: (props) => <FilesTab {...props} /> },
    {
      id: 'applied',
      title: 'Applied',
      render: (props) => <AppliedTab {...props} />,
      command: (kind, { namespace, name }) =>
        kubectl('apply', 'view-last-applied', resourceName(kind), name, ...inNamespace(namespace)),
    },
    { id: 'causes', title: 'Because of what', render: (props) => <CausesTab {...props} /> },
    info?.canSeePast === true && { id: 'history', title: 'History', render: (props) => <HistoryTab {...props} /> },
  ];
  return tabs.filter((tab) => tab !== false);
}
