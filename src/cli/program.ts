import { type ProgramEntry, programs } from '../cluster/programs/index.ts';
import type { Command, CommandEntry } from './command.ts';
import { type ProcessLike, runCommand } from './run-command.ts';

/** All commands. Each loads only what it needs. Those of programs follow from the list of programs. */
export function commandsWith(entries: readonly ProgramEntry[]): readonly CommandEntry[] {
  return [
    {
      name: 'up',
      group: 'Run a cluster',
      summary: 'Start a cluster',
      load: async () => (await import('./commands/up.ts')).upCommand(entries),
    },
    {
      name: 'dev',
      group: 'Run a cluster',
      summary: 'Start a cluster with your app, reload it when you save, and show what it does',
      load: async () => (await import('./commands/dev.ts')).devCommand,
    },
    {
      name: 'apiserver',
      group: 'Run parts of one',
      summary: "Run the API server alone, with kube-apiserver's flags",
      load: async () => (await import('./commands/apiserver.ts')).apiserverCommand,
    },
    ...entries.flatMap(programCommands),
    {
      name: 'envtest',
      group: 'Test',
      summary: "Be the etcd and kube-apiserver of controller-runtime's envtest",
      load: async () => (await import('./commands/envtest.ts')).envtestCommand,
    },
    {
      name: 'test-env',
      group: 'Test',
      summary: 'Run a command with a fresh cluster',
      load: async () => (await import('./commands/test-env.ts')).testEnvCommand,
    },
    {
      name: 'explore',
      group: 'Test',
      summary: 'Look for faults that your operator does not survive',
      load: async () => (await import('./commands/explore.ts')).exploreCommand,
    },
    {
      name: 'faults',
      group: 'Test',
      summary: 'Inject faults in front of any API server',
      load: async () => (await import('./commands/faults.ts')).faultsCommand,
    },
    {
      name: 'conform',
      group: 'Test',
      summary:
        'Judge CNI plugins, CSI drivers, device plugins, DRA drivers and service brokers by the rules of their interfaces',
      load: async () => (await import('./commands/conform.ts')).conformCommand,
    },
    {
      name: 'etcd',
      summary: "Run a placeholder for etcd, for programs that start etcd and Keelson's API server",
      load: async () => (await import('./commands/etcd.ts')).etcdCommand,
    },
    {
      name: 'kube-apiserver',
      summary: 'Run the API server in a process that suites share, or else in this one',
      load: async () => (await import('./commands/kube-apiserver.ts')).kubeApiserverCommand,
    },
    {
      name: 'dev-app',
      summary: 'Run the app of keelson dev',
      load: async () => (await import('./commands/dev-app.ts')).devAppCommand,
    },
    {
      name: 'deployed-app',
      summary: 'Run the app of keelson dev --deployed in its pod',
      load: async () => (await import('./commands/deployed-app.ts')).deployedAppCommand,
    },
    {
      name: 'shared-server',
      summary: 'Run clusters and API servers for tests, which start it',
      load: async () => (await import('./commands/shared-server.ts')).sharedServerCommand,
    },
    {
      name: 'store',
      group: 'Keep',
      summary: 'Back up, restore, copy, check, repair or compact the store',
      load: async () => (await import('./commands/store.ts')).storeCommand,
    },
    {
      name: 'kubeconfig',
      group: 'Run a cluster',
      summary: 'Print the kubeconfig of a cluster that runs, or point kubectl at it again',
      load: async () => (await import('./commands/kubeconfig.ts')).kubeconfigCommand,
    },
    {
      name: 'dashboard',
      group: 'Inspect',
      summary: 'Show a cluster in a browser: what there is, why, and what was',
      load: async () => (await import('./commands/dashboard.ts')).dashboardCommand,
    },
    {
      name: 'learn',
      group: 'Run a cluster',
      summary: 'Start a cluster in slow motion, with ten short walks in a browser',
      load: async () => (await import('./commands/learn.ts')).learnCommand,
    },
    {
      name: 'trace',
      group: 'Inspect',
      summary: 'Show what happened to requests, stage by stage, and why',
      load: async () => (await import('./commands/trace.ts')).traceCommandLine,
    },
    {
      name: 'why',
      group: 'Inspect',
      summary: 'Show why a pod went to its node, or to none: what each plugin and extender said',
      load: async () => (await import('./commands/why.ts')).whyCommand,
    },
    {
      name: 'replay',
      group: 'Inspect',
      summary: 'Send a kept review to its webhook again',
      load: async () => (await import('./commands/replay.ts')).replayCommand,
    },
    {
      name: 'api',
      group: 'Develop',
      summary: 'Compare versions of Kubernetes, and ask which of them take your manifests',
      load: async () => (await import('./commands/api.ts')).apiCommand,
    },
    {
      name: 'cel',
      group: 'Develop',
      summary: 'Evaluate a CEL expression as Kubernetes would, and show its type and cost',
      load: async () => (await import('./commands/cel.ts')).celCommand,
    },
    {
      name: 'cni',
      group: 'Develop',
      summary: 'Run the plugins of a CNI network: add, check, del, gc, status',
      load: async () => (await import('./commands/cni.ts')).cniCommand,
    },
    {
      name: 'crd',
      group: 'Develop',
      summary: 'Print, check and compare the CustomResourceDefinitions of modules and files',
      load: async () => (await import('./commands/crd.ts')).crdCommand,
    },
    {
      name: 'rbac',
      group: 'Develop',
      summary: 'Print the roles that the apps of a module need',
      load: async () => (await import('./commands/rbac.ts')).rbacCommand,
    },
    {
      name: 'manifests',
      group: 'Develop',
      summary: 'Print or write the manifests of an app: definitions, roles, Deployment, chart, Dockerfile',
      load: async () => (await import('./commands/manifests.ts')).manifestsCommand,
    },
    {
      name: 'types',
      group: 'Develop',
      summary: 'Generate TypeScript types from the CustomResourceDefinitions of files or a cluster',
      load: async () => (await import('./commands/types-of-definitions.ts')).typesCommand,
    },
    {
      name: 'version',
      group: 'Inspect',
      summary: 'Print the versions of Keelson and of the Kubernetes API it serves',
      load: async () => (await import('./commands/version.ts')).versionCommand,
    },
  ];
}

/** The command that runs a program alone, if it has one. */
function programCommands(entry: ProgramEntry): readonly CommandEntry[] {
  const { command: name, summary } = entry;
  if (name === undefined) return [];
  const load = async (): Promise<Command> =>
    (await import('./commands/program-command.ts')).programCommand(name, entry);
  return [{ name, summary, group: 'Run parts of one', load }];
}

/** Runs one command line; resolves to the exit code. */
export function runProgram(
  args: readonly string[],
  process: ProcessLike,
  entries: readonly ProgramEntry[] = programs,
): Promise<number> {
  return runCommand(commandsWith(entries), args, process);
}
