package dev.holdfast.console;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Asks for pages and sends their forms, as a browser without scripts does. */
final class Browser {

  private static final Pattern FORM = Pattern.compile("name=\"form\" value=\"([^\"]*)\"");

  private final URI address;
  private final HttpClient client =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  Browser(URI address) {
    this.address = address;
  }

  static Browser in(URI address, String token) throws IOException, InterruptedException {
    Browser browser = new Browser(address);
    browser.post("login", Map.of("token", token));
    return browser;
  }

  URI at(String path) {
    return address.resolve(path);
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(address.resolve(path)).build());
  }

  /** Sends a form with the secret of the session. */
  HttpResponse<String> submit(String path, Map<String, String> fields)
      throws IOException, InterruptedException {
    Map<String, String> all = new HashMap<>(fields);
    all.put("form", form());
    return post(path, all);
  }

  /** {@return the secret of the session} */
  String form() throws IOException, InterruptedException {
    Matcher form = FORM.matcher(get("").body());
    return form.find() ? form.group(1) : "";
  }

  HttpResponse<String> post(String path, Map<String, String> fields)
      throws IOException, InterruptedException {
    return send(request(path, fields).build());
  }

  HttpRequest.Builder request(String path, Map<String, String> fields) {
    String body =
        fields.entrySet().stream()
            .map(each -> query(each.getKey()) + "=" + query(each.getValue()))
            .collect(Collectors.joining("&"));
    return HttpRequest.newBuilder(address.resolve(path))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(body));
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return send(request, BodyHandlers.ofString());
  }

  <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return client.send(request, handler);
  }

  static String query(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
