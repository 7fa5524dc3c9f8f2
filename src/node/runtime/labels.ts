/** Labels by which containers are known again in the runtime, as the kubelet has them. */
export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';
/** The annotation of containers that tells what they are: `init`, `sidecar`, `regular` or `ephemeral`. */
export const CONTAINER_KIND = 'keelson.dev/container-kind';
