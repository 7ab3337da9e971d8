/**
 * Puts the firewall and the page monitor in front of a site: {@link
 * dev.holdfast.http.server.site.SiteProxy} is a reverse proxy, {@link
 * dev.holdfast.http.server.site.FirewallHandler} a handler of Jetty.
 */
@NullMarked
package dev.holdfast.http.server.site;

import org.jspecify.annotations.NullMarked;
