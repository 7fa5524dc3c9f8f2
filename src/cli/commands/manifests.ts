import { join } from 'node:path';
import { keelsonVersion } from '../../base/index.ts';
import { type Command, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import type { DeploymentSettings } from '../manifests/settings.ts';

const definitions: FlagDefinitions = {
  out: {
    type: 'string',
    value: 'DIR',
    help: 'Write a folder with objects, a Helm chart and a Dockerfile (default: print the objects)',
  },
  image: {
    type: 'string',
    value: 'IMAGE',
    help: "The image of the app (default: the app's name and the project's version)",
  },
  namespace: { type: 'string', value: 'NAME', help: 'Namespace of the app (default NAME-system)' },
  name: {
    type: 'string',
    value: 'NAME',
    help: "Name of the Deployment, its account and its roles (default: the app's)",
  },
  replicas: { type: 'string', value: 'N', default: '1', help: 'Number of replicas; one leads, the others stand by' },
  try: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'Objects, or folders of them, for the app to work on in the trial run, which shows whether its roles suffice',
  },
  trial: {
    type: 'boolean',
    default: true,
    help: 'Deploy to a cluster in this process first, and run the app as its account',
  },
  call: {
    type: 'string',
    value: 'NAME',
    help: 'The exported function that makes the app, when the module runs and exports none',
  },
};

/** `keelson manifests`: writes the objects that deploy an app. */
export const manifestsCommand: Command = {
  usage: `Usage: keelson manifests [FILE] [FLAGS]

  keelson manifests main.ts                         print all objects, for kubectl apply -f -
  keelson manifests main.ts --out deploy            write deploy/kubernetes, deploy/chart and deploy/Dockerfile
  keelson manifests main.ts --try samples           and let the app work on these objects before
  keelson manifests dashboard                       print the objects of a dashboard in the cluster

The app is the one that FILE passes to run(), or exports (default FILE: main.ts, src/main.ts, main.js or src/main.js). Before
anything is written, all of it is applied to a cluster in this process, and the app runs there as its service account. The dashboard
takes --image, --namespace and --name only; its image must have the program keelson.

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    if (flags.positionals[0] === 'dashboard') return context.print(await dashboardText(flags));
    const { deployableApp } = await import('../manifests/deploy-app.ts'); // other commands start without these
    const { deploymentFiles, objectFiles, writeFiles } = await import('../manifests/deployment-files.ts');
    const { settings, objects } = await deployableApp(flags, context);
    const out = flags.text('out');
    if (out === undefined) {
      const texts = objectFiles(objects).map(({ text }) => text);
      context.print(texts.join('---\n').trimEnd());
      return;
    }
    const left = await writeFiles(out, deploymentFiles(objects, settings));
    for (const path of left) context.print(`left ${join(out, path)} as it is`);
    context.print(nextSteps(out, settings));
  },
};

/** The objects of a dashboard as YAML. */
async function dashboardText(flags: Flags): Promise<string> {
  const isForApps = flags.has('out') || flags.has('call') || flags.list('try').length > 0;
  if (isForApps || flags.positionals.length > 1)
    throw new UsageError('a dashboard takes --image, --namespace and --name only');
  const { dashboardObjects } = await import('../manifests/dashboard-objects.ts'); // other commands start without these
  const { documents } = await import('../manifests/manifest-file.ts');
  const name = flags.text('name') ?? 'keelson-dashboard';
  const [namespace, image] = [flags.text('namespace') ?? name, flags.text('image') ?? `keelson:${keelsonVersion()}`];
  return documents(dashboardObjects({ name, namespace, image })).trimEnd();
}

function nextSteps(out: string, { image, name, namespace }: DeploymentSettings): string {
  return `wrote ${out}; next:
  docker build -t ${image} -f ${join(out, 'Dockerfile')} .
  kubectl apply -f ${join(out, 'kubernetes')}
or, in place of kubectl:
  helm install ${name} ${join(out, 'chart')} --namespace ${namespace} --create-namespace`;
}
