package main

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// admission is the result of the API server for one create request.
type admission struct {
	// fields are the refused paths; empty if the object is accepted.
	fields []string
	// unknown are the dropped paths (strict field validation refuses them).
	unknown []string
	// stored is the object that the server would store; nil if it is refused.
	stored map[string]any
}

// create runs the create request of the CRD handler: decode, prune, coerce, default, then the registry's validation.
func (r *resource) create(data []byte) admission {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		return admission{fields: []string{"(body)"}}
	}
	if object.GroupVersionKind() != r.kind {
		return admission{fields: []string{"apiVersion"}}
	}
	unknown, err := r.coerce(object)
	if err != nil {
		return admission{fields: []string{"metadata"}}
	}
	defaulting.Default(object.Object, r.structural)
	if err := r.register(object); err != nil {
		return admission{fields: causes(err), unknown: unknown}
	}
	return admission{unknown: unknown, stored: object.Object}
}

// coerce performs the steps of the handler's decoder between reading JSON and applying defaults.
func (r *resource) coerce(object *unstructured.Unstructured) ([]string, error) {
	kind, version := object.GetKind(), object.GetAPIVersion()
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	tracking := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	unknown = append(unknown, pruning.PruneWithOptions(object.Object, r.structural, true, tracking)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, r.structural)
	embeddedErr, embedded := objectmeta.CoerceWithOptions(nil, object.Object, r.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if embeddedErr != nil {
		return nil, embeddedErr
	}
	unknown = append(unknown, embedded...)
	slices.Sort(unknown)
	object.SetKind(kind)
	object.SetAPIVersion(version)
	if found {
		if err := objectmeta.SetObjectMeta(object.Object, meta); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// register performs the steps of the generic registry between the handler and the write.
func (r *resource) register(object *unstructured.Unstructured) error {
	namespace := ""
	if r.namespaced {
		if namespace = object.GetNamespace(); namespace == "" {
			namespace = "default"
		}
	}
	ctx := request.WithNamespace(context.Background(), namespace)
	rest.WipeObjectMetaSystemFields(object)
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(namespace, object); err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(object)
	if object.GetGenerateName() != "" && object.GetName() == "" {
		object.SetName(r.strategy.GenerateName(object.GetGenerateName()))
	}
	return rest.BeforeCreate(r.strategy, ctx, object)
}

// causes are the distinct field paths of a refusal.
func causes(err error) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return []string{"(request)"}
	}
	fields := []string{}
	for _, cause := range status.Status().Details.Causes {
		// The server adds a cause without a path if it skips its CEL rules.
		if cause.Field != "" && cause.Field != "<nil>" {
			fields = append(fields, cause.Field)
		}
	}
	// The server refuses a number outside its format's range without a path.
	if len(fields) == 0 {
		return []string{"(no path)"}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}
