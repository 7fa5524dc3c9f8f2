/** True for an init container that keeps running beside the others (KEP-753). */
export function isSidecar(container: { readonly restartPolicy?: string }): boolean {
  return container.restartPolicy === 'Always';
}
