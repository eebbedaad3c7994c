package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/yaml"
)

const providerModule = "github.com/aws/karpenter-provider-aws"

// crdFiles are the definitions that the provider's chart installs.
var crdFiles = []string{
	"karpenter.sh_nodepools.yaml",
	"karpenter.sh_nodeclaims.yaml",
	"karpenter.sh_nodeoverlays.yaml",
	"karpenter.k8s.aws_ec2nodeclasses.yaml",
	"autoscaling.x-k8s.io_capacitybuffers.yaml",
}

// resource is one served kind with the strategy that the API server builds for it.
type resource struct {
	kind       schema.GroupVersionKind
	namespaced bool
	openAPI    *apiextensionsv1.JSONSchemaProps
	structural *structuralschema.Structural
	strategy   rest.RESTCreateStrategy
}

// loadResources reads the CRDs of one provider version from the module cache.
func loadResources(ctx context.Context, version string) (map[string]*resource, error) {
	dir, err := moduleDirectory(version)
	if err != nil {
		return nil, err
	}
	resources := map[string]*resource{}
	for _, name := range crdFiles {
		loaded, err := loadResource(ctx, filepath.Join(dir, "pkg", "apis", "crds", name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		resources[loaded.kind.Kind] = loaded
	}
	return resources, nil
}

func moduleDirectory(version string) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", providerModule+"@v"+strings.TrimPrefix(version, "v"))
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("downloading %s: %w", providerModule, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(output, &module); err != nil {
		return "", err
	}
	return module.Dir, nil
}

func loadResource(ctx context.Context, path string) (*resource, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(data, &crd); err != nil {
		return nil, err
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
	for i := range crd.Spec.Versions {
		version := &crd.Spec.Versions[i]
		if version.Served {
			return newResource(ctx, &crd, version)
		}
	}
	return nil, fmt.Errorf("no served version")
}

// newResource builds the same objects as the API server for one version of a CRD.
func newResource(_ context.Context, crd *apiextensionsv1.CustomResourceDefinition, version *apiextensionsv1.CustomResourceDefinitionVersion) (*resource, error) {
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	subresources := &apiextensions.CustomResourceSubresources{}
	if version.Subresources != nil {
		if err := apiextensionsv1.Convert_v1_CustomResourceSubresources_To_apiextensions_CustomResourceSubresources(version.Subresources, subresources, nil); err != nil {
			return nil, err
		}
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
	namespaced := crd.Spec.Scope == apiextensionsv1.NamespaceScoped
	return &resource{
		kind:       kind,
		namespaced: namespaced,
		openAPI:    version.Schema.OpenAPIV3Schema,
		structural: structural,
		strategy: customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), namespaced, kind, validator, nil,
			structural, subresources.Status, subresources.Scale, version.SelectableFields),
	}, nil
}
