import type { CommandEntry } from './command.ts';
import { type ProcessLike, runCommand } from './run-command.ts';

/** All that the program can do; each loads no more than it needs. */
const commands: readonly CommandEntry[] = [
  { name: 'up', summary: 'Start a cluster', load: async () => (await import('./commands/up.ts')).upCommand },
  {
    name: 'dev',
    summary: 'Start a cluster with your app, load it anew when you save, and show what it does',
    load: async () => (await import('./commands/dev.ts')).devCommand,
  },
  {
    name: 'apiserver',
    summary: "Run the API server alone, with kube-apiserver's flags",
    load: async () => (await import('./commands/apiserver.ts')).apiserverCommand,
  },
  {
    name: 'controller-manager',
    summary: "Run the controllers alone, with kube-controller-manager's flags",
    load: async () => (await import('./commands/controller-manager.ts')).controllerManagerCommand,
  },
  {
    name: 'scheduler',
    summary: "Run the scheduler alone, with kube-scheduler's flags and configuration file",
    load: async () => (await import('./commands/scheduler.ts')).schedulerCommand,
  },
  {
    name: 'node',
    summary: 'Run simulated nodes alone, on any API server',
    load: async () => (await import('./commands/node.ts')).nodeCommand,
  },
  {
    name: 'envtest',
    summary: "Be the etcd and kube-apiserver of controller-runtime's envtest",
    load: async () => (await import('./commands/envtest.ts')).envtestCommand,
  },
  {
    name: 'test-env',
    summary: 'Run a command with a fresh cluster of its own',
    load: async () => (await import('./commands/test-env.ts')).testEnvCommand,
  },
  {
    name: 'etcd',
    summary: "Hold the place of etcd for Keelson's API server, for programs that start both",
    isHidden: true,
    load: async () => (await import('./commands/etcd.ts')).etcdCommand,
  },
  {
    name: 'kube-apiserver',
    summary: 'Run the API server in a process that suites share, or else in this one',
    isHidden: true,
    load: async () => (await import('./commands/kube-apiserver.ts')).kubeApiserverCommand,
  },
  {
    name: 'dev-app',
    summary: 'Run the app of keelson dev',
    isHidden: true,
    load: async () => (await import('./commands/dev-app.ts')).devAppCommand,
  },
  {
    name: 'shared-server',
    summary: 'Run clusters and API servers for tests, which start it',
    isHidden: true,
    load: async () => (await import('./commands/shared-server.ts')).sharedServerCommand,
  },
  {
    name: 'store',
    summary: 'Back up, restore, copy, check, repair or compact the store',
    load: async () => (await import('./commands/store.ts')).storeCommand,
  },
  {
    name: 'trace',
    summary: 'Show what became of requests, stage by stage, and why',
    load: async () => (await import('./commands/trace.ts')).traceCommandLine,
  },
  {
    name: 'why',
    summary: 'Show why a pod went to its node, or to none: what each plugin and extender said',
    load: async () => (await import('./commands/why.ts')).whyCommand,
  },
  {
    name: 'replay',
    summary: 'Send a kept review to its webhook once more',
    load: async () => (await import('./commands/replay.ts')).replayCommand,
  },
  {
    name: 'cel',
    summary: 'Evaluate an expression (CEL) as Kubernetes would, and tell its type and cost',
    load: async () => (await import('./commands/cel.ts')).celCommand,
  },
  {
    name: 'crd',
    summary: 'Print, check and compare the CustomResourceDefinitions of modules and files',
    load: async () => (await import('./commands/crd.ts')).crdCommand,
  },
  {
    name: 'rbac',
    summary: 'Print the roles that the apps of a module need',
    load: async () => (await import('./commands/rbac.ts')).rbacCommand,
  },
  {
    name: 'manifests',
    summary:
      'Print or write what it takes to deploy the app of a module: definitions, roles, Deployment, chart, Dockerfile',
    load: async () => (await import('./commands/manifests.ts')).manifestsCommand,
  },
  {
    name: 'types',
    summary: 'Make TypeScript types of the CustomResourceDefinitions of files or of a cluster',
    load: async () => (await import('./commands/types-of-definitions.ts')).typesCommand,
  },
  {
    name: 'version',
    summary: 'Print the versions of Keelson and of the Kubernetes API it serves',
    load: async () => (await import('./commands/version.ts')).versionCommand,
  },
];

/** Runs one command line; answers with the exit code. */
export function runProgram(args: readonly string[], process: ProcessLike): Promise<number> {
  return runCommand(commands, args, process);
}
