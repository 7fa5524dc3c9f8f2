export { namespaceController, type NamespaceControllerOptions } from './namespace-controller.ts';
