import { type App, app, controller, Deployment, type ObjectOf, resource } from 'keelson';
import { z } from 'zod';

/** The kind of Kubernetes' sample-controller. Groups under k8s.io need an annotation about their API approval. */
export const Foo = resource('samplecontroller.k8s.io/v1alpha1', 'Foo', {
  spec: z.object({ deploymentName: z.string(), replicas: z.int().min(1).max(10) }),
  status: z.object({ availableReplicas: z.int() }),
  annotations: {
    'api-approved.kubernetes.io': 'unapproved, experimental-only; please get an approval from Kubernetes API reviewers',
  },
});
export type Foo = ObjectOf<typeof Foo>;

/** Every Foo has a Deployment of the given name and size. */
const foos = controller(Foo, {
  owns: [Deployment],
  async reconcile(foo, { desire, event, objects }) {
    const { name, namespace, uid } = foo.metadata;
    const { deploymentName, replicas } = foo.spec;
    const there = objects(Deployment).get(`${namespace}/${deploymentName}`);
    if (
      there !== undefined &&
      !there.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller)
    ) {
      const message = `Resource "${deploymentName}" already exists and is not managed by Foo`;
      event({ type: 'Warning', reason: 'ErrResourceExists', message });
      throw new Error(message);
    }
    const deployment = await desire(Deployment, deploymentOf(name, { name: deploymentName, namespace }, replicas));
    event({ reason: 'Synced', message: 'Foo synced successfully' });
    return { availableReplicas: deployment.status?.availableReplicas ?? 0 };
  },
});

function deploymentOf(foo: string, metadata: { name: string; namespace?: string }, replicas: number): Deployment {
  const labels = { app: 'nginx', controller: foo };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] } };
  return { metadata, spec: { replicas, selector: { matchLabels: labels }, template } };
}

export const sampleController = (): App => app('sample-controller', [foos], { resources: [Foo] });
