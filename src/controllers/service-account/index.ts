export { serviceAccountController } from './service-account-controller.ts';
