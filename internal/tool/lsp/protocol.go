package lsp

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// What of the Language Server Protocol 3.17 is spoken here.
type (
	// reply is an answer without an error: the result is written in one pass, null where there is none.
	reply struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Result  any    `json:"result"`
	}
	notification struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	textDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version,omitempty"`
		Text    string `json:"text,omitempty"`
	}
	// params are those of every request that is answered: a field that a request does not have is zero.
	params struct {
		TextDocument   textDocument    `json:"textDocument"`
		Position       position        `json:"position"`
		Range          span            `json:"range"`
		NewName        string          `json:"newName"`
		ContentChanges []contentChange `json:"contentChanges"`
		Context        struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
		Options struct {
			TabSize      int  `json:"tabSize"`
			InsertSpaces bool `json:"insertSpaces"`
		} `json:"options"`
		Capabilities struct {
			General struct {
				PositionEncodings []string `json:"positionEncodings"`
			} `json:"general"`
		} `json:"capabilities"`
		InitializationOptions configuration `json:"initializationOptions"`
		Settings              struct {
			Ptxabi *configuration `json:"ptxabi"` // nil where a client has other settings alone
		} `json:"settings"`
	}
	// contentChange is a part of a text that is replaced, or all of it where there is no range.
	contentChange struct {
		Range *span  `json:"range"`
		Text  string `json:"text"`
	}
	// configuration is what a client may set: the section "ptxabi" of its settings, and its
	// initializationOptions.
	configuration struct {
		Target string `json:"target"` // "" for the module's own
		Assume bool   `json:"assume"` // take a target that was not measured
	}
	diagnostic struct {
		Range    span      `json:"range"`
		Severity int       `json:"severity"`
		Code     string    `json:"code"`
		About    *codeLink `json:"codeDescription,omitempty"`
		Source   string    `json:"source"`
		Message  string    `json:"message"`
		Related  []related `json:"relatedInformation,omitempty"`
	}
	codeLink struct {
		Href string `json:"href"`
	}
	highlight struct {
		Range span `json:"range"`
		Kind  int  `json:"kind"`
	}
	foldingRange struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine"`
	}
	signatureHelp struct {
		Signatures []signature `json:"signatures"`
		Active     int         `json:"activeSignature"`
		Parameter  int         `json:"activeParameter"`
	}
	signature struct {
		Label         string             `json:"label"`
		Documentation markup             `json:"documentation"`
		Parameters    []signatureElement `json:"parameters"`
	}
	signatureElement struct {
		Label string `json:"label"`
	}
	related struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	published struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	codeAction struct {
		Title       string        `json:"title"`
		Kind        string        `json:"kind"`
		Diagnostics []diagnostic  `json:"diagnostics"`
		Preferred   bool          `json:"isPreferred,omitempty"`
		Edit        workspaceEdit `json:"edit"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup `json:"contents"`
		Range    span   `json:"range"`
	}
	symbol struct {
		Name           string `json:"name"`
		Detail         string `json:"detail,omitempty"`
		Kind           int    `json:"kind"`
		Range          span   `json:"range"`
		SelectionRange span   `json:"selectionRange"`
	}
	inlayHint struct {
		Position    position `json:"position"`
		Label       string   `json:"label"`
		Kind        int      `json:"kind"`
		PaddingLeft bool     `json:"paddingLeft"`
	}
	completion struct {
		Label  string   `json:"label"`
		Kind   int      `json:"kind"`
		Detail string   `json:"detail,omitempty"`
		Edit   textEdit `json:"textEdit"`
	}
	completionList struct {
		Incomplete bool         `json:"isIncomplete"`
		Items      []completion `json:"items"`
	}
	semanticTokens struct {
		Data []int `json:"data"`
	}
)

// Numbers of the protocol.
const (
	symbolFunction, symbolInterface = 12, 11
	completeFunction, completeVar   = 3, 6
	completeKeyword, completeMember = 14, 20
	completeLabel                   = 18
	hintType                        = 1
)

//go:embed capabilities.json
var capabilitiesText string

// capabilities are what the server does.
func capabilities(encoding string) json.RawMessage {
	var compact bytes.Buffer
	types, _ := json.Marshal(tokenTypes)
	modifiers, _ := json.Marshal(tokenModifiers)
	json.Compact(&compact, []byte(strings.NewReplacer("ENCODING", encoding, `"TYPES"`, string(types), `"MODIFIERS"`, string(modifiers)).Replace(capabilitiesText)))
	return compact.Bytes()
}

// kinds are the types of JSON, as one says them.
var kinds = map[reflect.Kind]string{
	reflect.Struct: "an object", reflect.Slice: "an array", reflect.String: "a string", reflect.Int: "a whole number", reflect.Bool: "true or false",
}

// mistyped says which value of a request has another type than the protocol wants, in the words of JSON.
func mistyped(err error) string {
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	where := ""
	if wrong.Field != "" {
		where = " in " + wrong.Field
	}
	return fmt.Sprintf("%s%s, expected %s", wrong.Value, where, kinds[wrong.Type.Kind()])
}

// frames reads the contents of messages, each of which has a header. As in HTTP, names in a header are in any case, which
// the library's own reader does not take.
type frames struct{ in *bufio.Reader }

func newFrames(in io.Reader) frames { return frames{bufio.NewReader(in)} }

// next returns the content of the next message. The error is io.EOF where the input ends between two messages, and
// io.ErrUnexpectedEOF where it ends within one.
func (f frames) next() ([]byte, error) {
	length, err := f.length()
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(length, 10, 32)
	if err != nil || n <= 0 {
		return nil, fmt.Errorf("Content-Length: %.40q, expected a number of bytes", length)
	}
	// The buffer grows with what arrives: a length alone costs no memory.
	var data bytes.Buffer
	if _, err := io.CopyN(&data, f.in, n); err != nil {
		return nil, within(err)
	}
	return data.Bytes(), nil
}

// length reads a header to its empty line, and returns the value of its Content-Length.
func (f frames) length() (string, error) {
	length := ""
	for first := true; ; first = false {
		line, err := f.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("a line of a header has more than %d bytes", f.in.Size())
		case err != nil && first && len(line) == 0:
			return "", err
		case err != nil:
			return "", within(err)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return "", fmt.Errorf("%.40q is no line of a header, expected NAME: VALUE", text)
		}
		if strings.EqualFold(name, "Content-Length") {
			length = strings.TrimSpace(value)
		}
	}
	if length == "" {
		return "", errors.New("a message without Content-Length")
	}
	return length, nil
}

// within is an error within a message, where the end of the input is unexpected.
func within(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
