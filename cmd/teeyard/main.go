// Command teeyard is a Teeworlds server and toolbox.
package main

import "github.com/teeyard/teeyard/app"

func main() { app.Main(app.Config{}) }
