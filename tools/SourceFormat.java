import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Formats every Java source of the working copy with google-java-format, or says which ones are not
 * formatted. The build starts it from source: {@code SourceFormat.java check|apply <root>}.
 *
 * <p>A program of our own, because a formatter plugin runs on Maven's JVM, and on 17 the formatter
 * cannot parse the language of 25.
 */
final class SourceFormat {
  private static final Set<String> SKIPPED = Set.of("target", ".git", ".idea");

  private SourceFormat() {}

  private enum Outcome {
    CLEAN,
    UNFORMATTED,
    UNREADABLE
  }

  public static void main(String[] args) throws IOException {
    boolean apply = args[0].equals("apply");
    Path root = Path.of(args[1]);
    List<Path> sources = sources(root);
    if (sources.isEmpty()) {
      throw new IllegalStateException("no Java source under " + root);
    }
    var outcomes =
        sources.parallelStream()
            .map(source -> visit(root.relativize(source), source, apply))
            .toList();
    if (outcomes.contains(Outcome.UNREADABLE)) {
      System.exit(2);
    }
    if (!apply && outcomes.contains(Outcome.UNFORMATTED)) {
      System.err.println("Format the sources with: ./mvnw -q -N -Pformat validate");
      System.exit(1);
    }
  }

  private static Outcome visit(Path name, Path source, boolean apply) {
    try {
      String before = Files.readString(source);
      String after = new Formatter().formatSourceAndFixImports(before);
      if (after.equals(before)) {
        return Outcome.CLEAN;
      }
      if (apply) {
        Files.writeString(source, after);
      }
      System.err.println((apply ? "formatted " : "not formatted: ") + name);
      return Outcome.UNFORMATTED;
    } catch (FormatterException | IOException e) {
      System.err.println(name + ": " + e.getMessage());
      return Outcome.UNREADABLE;
    }
  }

  private static List<Path> sources(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean skipped = SKIPPED.contains(folder.getFileName().toString());
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.getFileName().toString().endsWith(".java")) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
