package dev.holdfast.operate.verify;

import dev.holdfast.launcher.PlainText;
import dev.holdfast.spi.verify.Finding;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Findings, as text and as JSON. File names are relative to the directory that was checked. */
record FindingsText(Path directory) {

  void print(PrintWriter out, List<Finding> findings) {
    for (Finding each : findings) {
      out.println(
          each.severity()
              + " "
              + each.kind().code()
              + ": "
              + PlainText.line(file(each))
              + (each.offset() > 0 ? ", byte " + each.offset() : ""));
      if (each.object() != null) {
        out.println(
            "  object: " + PlainText.line(each.object().namespace()) + "/" + each.object().id());
      }
      out.println("  " + PlainText.line(each.meaning()));
      out.println("  lost:   " + PlainText.line(each.lost()));
      out.println("  to do:  " + PlainText.line(each.remedy()));
    }
  }

  List<Map<String, @Nullable Object>> json(List<Finding> findings) {
    return findings.stream().map(this::json).toList();
  }

  private Map<String, @Nullable Object> json(Finding finding) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
    json.put("kind", finding.kind().code());
    json.put("file", file(finding));
    json.put("offset", finding.offset());
    json.put("namespace", finding.object() == null ? null : finding.object().namespace());
    json.put("object", finding.object() == null ? null : finding.object().id().toString());
    json.put("meaning", finding.meaning());
    json.put("lost", finding.lost());
    json.put("remedy", finding.remedy());
    return json;
  }

  private String file(Finding finding) {
    Path file = finding.file().toAbsolutePath();
    return file.startsWith(directory) ? directory.relativize(file).toString() : file.toString();
  }
}
