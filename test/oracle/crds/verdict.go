package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// documentVerdict is one line of the verdict command.
type documentVerdict struct {
	File          string   `json:"file"`
	Document      int      `json:"document"`
	Kind          string   `json:"kind"`
	Name          string   `json:"name"`
	Valid         bool     `json:"valid"`
	Schema        []string `json:"schema"`
	Runtime       []string `json:"runtime"`
	UnknownFields []string `json:"unknownFields"`
}

func printVerdicts(resources map[string]*resource, runtime bool, paths []string) error {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for _, root := range paths {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !isManifest(path) {
				return err
			}
			verdicts, err := fileVerdicts(resources, runtime, path)
			for _, verdict := range verdicts {
				if encodeErr := encoder.Encode(verdict); encodeErr != nil {
					return encodeErr
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func isManifest(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path)))
}

// fileVerdicts validates every document of the five kinds. It skips other kinds and documents that do not parse.
func fileVerdicts(resources map[string]*resource, runtime bool, path string) ([]documentVerdict, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	verdicts := []documentVerdict{}
	for document := 0; ; document++ {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return verdicts, nil
		}
		if err != nil {
			return verdicts, nil
		}
		raw, err := yaml.YAMLToJSON(text)
		if err != nil {
			continue
		}
		var header struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Metadata   struct {
				Name string `json:"name"`
			} `json:"metadata"`
		}
		if json.Unmarshal(raw, &header) != nil && header.Kind == "" {
			continue
		}
		target, known := resources[header.Kind]
		group, err := schema.ParseGroupVersion(header.APIVersion)
		if !known || err != nil || group.Group != target.kind.Group {
			continue
		}
		result := judge(target, raw, runtime)
		verdicts = append(verdicts, documentVerdict{
			File: path, Document: document, Kind: header.Kind, Name: header.Metadata.Name, Valid: result.valid(),
			Schema: list(result.admission.fields), Runtime: list(result.runtime), UnknownFields: list(result.admission.unknown),
		})
	}
}

// judgement is the verdict of the API server and, if it accepts the object, of Karpenter.
type judgement struct {
	admission admission
	runtime   []string
}

func (j judgement) valid() bool {
	return j.admission.stored != nil && len(j.runtime) == 0
}

func judge(target *resource, raw []byte, runtime bool) judgement {
	result := judgement{admission: target.create(raw)}
	if runtime && result.admission.stored != nil {
		result.runtime = refusals(target.kind.Kind, result.admission.stored)
	}
	return result
}

func list(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}
