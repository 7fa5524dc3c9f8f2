import type { Walk } from './learn-step.ts';

export const deployment: Walk = {
  id: 'deployment',
  title: "A Deployment's life",
  summary: 'One write, and who does what because of it, until containers run.',
  steps: [
    {
      title: 'Create it',
      text: 'A Deployment says how many pods of a template should exist. Creating it stores one object and nothing else.\n\nPause the clock first if you want to see each write by itself.',
      commands: ['kubectl create deployment web --image=nginx --replicas=2'],
      look: 'causes?resource=deployments.apps&namespace=default&name=web',
    },
    {
      title: 'Who did what',
      text: 'The deployment controller saw the Deployment and created a ReplicaSet. The replicaset controller saw that and created two pods without a node. The scheduler bound each pod to a node. The kubelet of that node saw its pods, started their containers and wrote their status.\n\nNone of them called another one: each watches objects and writes objects.',
      commands: ['kubectl get deployment,replicaset,pods'],
      look: 'list/pods?namespace=default',
    },
    {
      title: 'Roll out a change',
      text: 'A new template needs a new ReplicaSet. The controller makes it larger and the old one smaller, step by step.',
      commands: ['kubectl set image deployment/web nginx=nginx:2', 'kubectl get replicasets'],
      look: 'list/replicasets.apps?namespace=default',
    },
    {
      title: 'Take a pod away',
      text: 'The ReplicaSet counts one pod too few and creates another one. The old one is not repaired.',
      commands: ['kubectl delete pod --selector app=web --wait=false', 'kubectl get pods'],
      look: 'list/pods?namespace=default',
    },
  ],
};
