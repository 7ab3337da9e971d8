package dev.holdfast.spring;

import dev.holdfast.sql.SqlMigration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.io.support.ResourcePatternResolver;
import org.springframework.core.io.support.ResourcePatternUtils;

/** Migrations of a namespace, from {@code classpath:holdfast/NAMESPACE/V1__name.sql} and so on. */
final class MigrationFiles {

  private static final Pattern NAME = Pattern.compile("V([1-9]\\d{0,8})__(.+)\\.sql");

  private final ResourcePatternResolver resolver;

  MigrationFiles(ResourceLoader loader) {
    resolver = ResourcePatternUtils.getResourcePatternResolver(loader);
  }

  /**
   * {@return the migrations in the order of their versions}
   *
   * @throws IllegalStateException if a file has another name than the form, or a version is missing
   *     or given twice
   */
  List<SqlMigration> of(String namespace) {
    Map<Integer, Resource> files = new TreeMap<>();
    try {
      for (Resource each : resolver.getResources("classpath*:holdfast/" + namespace + "/*.sql")) {
        String file = String.valueOf(each.getFilename());
        Matcher name = NAME.matcher(file);
        if (!name.matches()) {
          throw new IllegalStateException(
              "Not the name of a migration: holdfast/%s/%s. Name it V1__what_it_does.sql"
                  .formatted(namespace, file));
        }
        Resource other = files.put(Integer.parseInt(name.group(1)), each);
        if (other != null) {
          throw new IllegalStateException(
              "Two migrations of %s have version %s: %s and %s"
                  .formatted(namespace, name.group(1), other.getFilename(), file));
        }
      }
      List<SqlMigration> steps = new ArrayList<>();
      for (Map.Entry<Integer, Resource> each : files.entrySet()) {
        if (each.getKey() != steps.size() + 1) {
          throw new IllegalStateException(
              "Migration %d of %s is missing; there is %s. Versions count from 1 without a gap"
                  .formatted(steps.size() + 1, namespace, each.getValue().getFilename()));
        }
        String file = String.valueOf(each.getValue().getFilename());
        steps.add(
            new SqlMigration(
                file.substring(0, file.length() - ".sql".length()),
                each.getValue().getContentAsString(StandardCharsets.UTF_8)));
      }
      return steps;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the migrations of " + namespace, e);
    }
  }
}
