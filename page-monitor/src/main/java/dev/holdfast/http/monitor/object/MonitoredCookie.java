package dev.holdfast.http.monitor.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cookie that pages set or were sent. Times are texts. Immutable.
 *
 * @param id its id
 * @param name its name
 * @param host the host of the pages
 * @param type {@code first_party} if a response has set it, otherwise {@code unknown}
 * @param status active, infrequent or inactive
 * @param domainAttribute the attribute, or the host
 * @param pathAttribute the attribute, or the directory of the page
 * @param secureAttribute whether it has the attribute
 * @param httpOnlyAttribute whether it has the attribute
 * @param sameSiteAttribute lax, strict or none
 * @param maxAgeAttribute the attribute in seconds, or null
 * @param expiresAttribute the attribute, or null
 * @param firstSeenAt when it was first seen
 * @param lastSeenAt when it was last seen
 * @param firstPageUrl the first page
 * @param pageUrls the newest pages
 */
public record MonitoredCookie(
    String id,
    String name,
    String host,
    String type,
    String status,
    String domainAttribute,
    String pathAttribute,
    boolean secureAttribute,
    boolean httpOnlyAttribute,
    String sameSiteAttribute,
    @Nullable Long maxAgeAttribute,
    @Nullable String expiresAttribute,
    String firstSeenAt,
    String lastSeenAt,
    String firstPageUrl,
    List<String> pageUrls) {}
