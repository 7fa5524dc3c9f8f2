// Command vectors reads DNS messages, one JSON line each, and says what miekg/dns makes of them.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"

	"github.com/miekg/dns"
)

type question struct {
	Bytes string `json:"bytes"`
	// The size that the message is cut to.
	Size int `json:"size"`
}

type section [][]any

type answer struct {
	Bytes     string    `json:"bytes"`
	Size      int       `json:"size"`
	Error     string    `json:"error,omitempty"`
	ID        uint16    `json:"id"`
	Questions section   `json:"questions,omitempty"`
	Sections  []section `json:"sections,omitempty"`
	// The message as it is packed again, compressed.
	Packed string `json:"packed,omitempty"`
	// Records that are left in each section after cutting, and whether some are missing.
	Left []int `json:"left,omitempty"`
	Cut  bool  `json:"cut,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := encoder.Encode(look(asked)); err != nil {
			panic(err)
		}
	}
}

func look(asked question) answer {
	result := answer{Bytes: asked.Bytes, Size: asked.Size}
	raw, err := base64.StdEncoding.DecodeString(asked.Bytes)
	if err != nil {
		panic(err)
	}
	message := new(dns.Msg)
	if err := message.Unpack(raw); err != nil {
		result.Error = err.Error()
		return result
	}
	result.ID = message.Id
	for _, each := range message.Question {
		result.Questions = append(result.Questions, []any{each.Name, each.Qtype, each.Qclass})
	}
	for _, records := range [][]dns.RR{message.Answer, message.Ns, message.Extra} {
		described := section{}
		for _, record := range records {
			data, err := dataOf(record)
			if err != nil {
				result.Error = err.Error()
				return result
			}
			header := record.Header()
			described = append(described, []any{header.Name, header.Rrtype, header.Class, header.Ttl, data})
		}
		result.Sections = append(result.Sections, described)
	}
	message.Compress = true
	packed, err := message.Pack()
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Packed = base64.StdEncoding.EncodeToString(packed)
	message.Truncate(asked.Size)
	result.Left = []int{len(message.Answer), len(message.Ns), len(message.Extra)}
	result.Cut = message.Truncated
	return result
}

// dataOf is what a record says, with its names written out.
func dataOf(record dns.RR) (string, error) {
	buffer := make([]byte, 1<<17)
	end, err := dns.PackRR(record, buffer, 0, nil, false)
	if err != nil {
		return "", err
	}
	name, err := dns.PackDomainName(record.Header().Name, make([]byte, 256), 0, nil, false)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(buffer[name+10 : end]), nil
}
