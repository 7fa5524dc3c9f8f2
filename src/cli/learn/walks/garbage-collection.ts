import type { Walk } from './learn-step.ts';

export const garbageCollection: Walk = {
  id: 'garbage-collection',
  title: 'Garbage collection',
  summary: 'Objects name their owners; what has none left is deleted.',
  steps: [
    {
      title: 'Three generations',
      text: 'The Deployment owns a ReplicaSet, which owns pods. Each says so in `metadata.ownerReferences`.',
      commands: [
        'kubectl create deployment family --image=nginx --replicas=2',
        'kubectl get replicaset,pods --selector app=family -o yaml',
      ],
      look: 'object/deployments.apps/default/family',
    },
    {
      title: 'Leave orphans',
      text: 'With `--cascade=orphan` only the Deployment goes. The garbage collector removes the reference to it, and the ReplicaSet stays with its pods.',
      commands: [
        'kubectl delete deployment family --cascade=orphan',
        'kubectl get replicaset,pods --selector app=family',
      ],
      look: 'list/replicasets.apps?namespace=default',
    },
    {
      title: 'Take the rest',
      text: 'By default the owner goes first and what it owns follows in the background.',
      commands: ['kubectl delete replicaset --selector app=family', 'kubectl get pods --selector app=family'],
      look: 'list/pods?namespace=default',
    },
  ],
};
