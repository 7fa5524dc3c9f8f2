import type { Walk } from './learn-step.ts';

export const access: Walk = {
  id: 'access',
  title: 'Roles and bindings',
  summary: 'A user may do nothing until a binding allows it.',
  steps: [
    {
      title: 'Nothing to begin with',
      text: 'You act as another user with `--as`. Without a role Joe may not even look.',
      commands: ['kubectl get pods --as joe'],
      isRefused: true,
      look: 'requests',
    },
    {
      title: 'A role and a binding',
      text: 'A Role lists what may be done, and a RoleBinding says by whom. The next request finds it: there is nothing to restart.',
      commands: [
        'kubectl create role looker --verb=get,list,watch --resource=pods',
        'kubectl create rolebinding joe-looks --role=looker --user=joe',
        'kubectl get pods --as joe',
      ],
      look: 'list/rolebindings.rbac.authorization.k8s.io?namespace=default',
    },
    {
      title: 'No more than that',
      text: 'Deleting is another verb. The request shows that authorization refused it, and that no admission was asked.',
      commands: ['kubectl delete pods --all --as joe'],
      isRefused: true,
      look: 'requests',
    },
    {
      title: 'You cannot grant what you do not have',
      text: 'Joe may not create roles. And with the right to create roles, he still could not create one that allows more than he may do himself.',
      commands: ['kubectl create role more --verb=delete --resource=pods --as joe'],
      isRefused: true,
    },
  ],
};
