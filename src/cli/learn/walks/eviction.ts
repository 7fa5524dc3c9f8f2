import type { Walk } from './learn-step.ts';

export const eviction: Walk = {
  id: 'eviction',
  title: 'An eviction',
  summary: 'A node is emptied, and a budget says how fast.',
  steps: [
    {
      title: 'Two pods, one of which must stay',
      text: 'A PodDisruptionBudget limits what may be taken away on purpose. It does not help against a node that breaks.',
      commands: [
        'kubectl create deployment shop --image=nginx --replicas=2',
        'kubectl create poddisruptionbudget shop --selector=app=shop --min-available=1',
      ],
      look: 'list/pods?namespace=default',
    },
    {
      title: 'Keep new pods away',
      text: 'A cordoned node takes no new pods. Those that are there stay.',
      commands: ['kubectl cordon --selector kubernetes.io/os=linux', 'kubectl get nodes'],
      look: 'list/nodes',
    },
    {
      title: 'Ask for evictions',
      text: '`kubectl drain` asks the API server to evict pod after pod. With every node cordoned the first pod goes, its successor finds no node, and the budget refuses the second.',
      commands: [
        'kubectl drain --selector kubernetes.io/os=linux --ignore-daemonsets --force --delete-emptydir-data --timeout=3s',
      ],
      isRefused: true,
      look: 'requests',
    },
    {
      title: 'Open the nodes again',
      text: 'Pods that wait are scheduled as soon as a node takes them.',
      commands: ['kubectl uncordon --selector kubernetes.io/os=linux', 'kubectl get pods'],
      look: 'list/pods?namespace=default',
    },
  ],
};
