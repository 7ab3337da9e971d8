package dev.holdfast.http.server.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/** Headers as the services read them. */
public final class HeaderLists {

  private HeaderLists() {}

  /**
   * {@return the values in order, by name in lower case}
   *
   * @param fields the headers of the library
   */
  public static Map<String, List<String>> of(HttpFields fields) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (HttpField field : fields) {
      @Nullable String value = field.getValue();
      headers
          .computeIfAbsent(field.getLowerCaseName(), name -> new ArrayList<>(1))
          .add(value == null ? "" : value);
    }
    return headers;
  }
}
