package controller

import (
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	demov1 "keelson/envtest/api/v1"
)

const patience = 30 * time.Second

func greeting(name, word string) *demov1.Greeting {
	return &demov1.Greeting{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "greeting-", Namespace: "default"},
		Spec:       demov1.GreetingSpec{Name: name, Word: word},
	}
}

var _ = Describe("Greeting", func() {
	It("is defaulted by the webhook and becomes ready", func(ctx SpecContext) {
		object := greeting("World", "")
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		Expect(object.Spec.Word).To(Equal("Hello"))
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(object.Status.Conditions, "Ready")).To(BeTrue())
			g.Expect(object.Status.Text).To(Equal("Hello, World!"))
			g.Expect(object.Status.ObservedGeneration).To(Equal(object.Generation))
		}).WithTimeout(patience).Should(Succeed())
		var words corev1.ConfigMap
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), &words)).To(Succeed())
		Expect(metav1.IsControlledBy(&words, object)).To(BeTrue())
	})

	It("follows its spec", func(ctx SpecContext) {
		object := greeting("World", "Hi")
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		Eventually(func() error {
			if err := k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
				return err
			}
			object.Spec.Word = "Good morning"
			return k8sClient.Update(ctx, object)
		}).WithTimeout(patience).Should(Succeed())
		Eventually(func(g Gomega) {
			var words corev1.ConfigMap
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), &words)).To(Succeed())
			g.Expect(words.Data).To(HaveKeyWithValue("text", "Good morning, World!"))
		}).WithTimeout(patience).Should(Succeed())
	})

	It("is refused by the webhook", func(ctx SpecContext) {
		err := k8sClient.Create(ctx, greeting("World", "Goodbye"))
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(Equal(`admission webhook "vgreeting.kb.io" denied the request: a greeting cannot begin with "Goodbye"`))
	})

	It("is refused by its schema", func(ctx SpecContext) {
		err := k8sClient.Create(ctx, greeting("", "Hello"))
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring("spec.name in body should be at least 1 chars long"))
	})

	It("says goodbye before it goes", func(ctx SpecContext) {
		object := greeting("World", "Hello")
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
			g.Expect(object.Finalizers).To(ContainElement(Finalizer))
		}).WithTimeout(patience).Should(Succeed())
		Expect(k8sClient.Delete(ctx, object)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object))
		}).WithTimeout(patience).Should(BeTrue())
	})

	It("may be looked at by a user that a role allows no more", func(ctx SpecContext) {
		user, err := testEnv.AddUser(envtest.User{Name: "reader", Groups: []string{"readers"}}, nil)
		Expect(err).NotTo(HaveOccurred())
		reader, err := client.New(user.Config(), client.Options{Scheme: k8sClient.Scheme()})
		Expect(err).NotTo(HaveOccurred())
		err = reader.List(ctx, &demov1.GreetingList{}, client.InNamespace("default"))
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(Equal(`greetings.demo.keelson.dev is forbidden: User "reader" cannot list resource "greetings" in API group "demo.keelson.dev" in the namespace "default"`))
	})

	It("takes its ConfigMap with it where controllers run", func(ctx SpecContext) {
		if os.Getenv("KEELSON_CONTROLLERS") == "" {
			Skip("envtest has no garbage collector")
		}
		object := greeting("World", "Hello")
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		key := client.ObjectKeyFromObject(object)
		Eventually(func() error { return k8sClient.Get(ctx, key, &corev1.ConfigMap{}) }).WithTimeout(patience).Should(Succeed())
		Expect(k8sClient.Delete(ctx, object)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(k8sClient.Get(ctx, key, &corev1.ConfigMap{}))
		}).WithTimeout(patience).Should(BeTrue())
	})

	It("goes with its namespace where controllers run", func(ctx SpecContext) {
		if os.Getenv("KEELSON_CONTROLLERS") == "" {
			Skip("envtest never ends the deletion of a namespace")
		}
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "short-lived-"}}
		Expect(k8sClient.Create(ctx, namespace)).To(Succeed())
		object := greeting("World", "Hello")
		object.Namespace = namespace.Name
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		Expect(k8sClient.Delete(ctx, namespace)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(k8sClient.Get(ctx, client.ObjectKeyFromObject(namespace), namespace))
		}).WithTimeout(patience).Should(BeTrue())
	})

	It("shares a cluster with Deployments that get their pods where controllers run", func(ctx SpecContext) {
		if os.Getenv("KEELSON_CONTROLLERS") == "" {
			Skip("envtest has no Deployment controller")
		}
		labels := map[string]string{"app": "web"}
		replicas := int32(3)
		deployment := &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "web-", Namespace: "default"},
			Spec: appsv1.DeploymentSpec{
				Replicas: &replicas,
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
				},
			},
		}
		Expect(k8sClient.Create(ctx, deployment)).To(Succeed())
		Eventually(func(g Gomega) {
			var pods corev1.PodList
			g.Expect(k8sClient.List(ctx, &pods, client.InNamespace("default"), client.MatchingLabels(labels))).To(Succeed())
			g.Expect(pods.Items).To(HaveLen(3))
		}).WithTimeout(patience).Should(Succeed())
	})
})
