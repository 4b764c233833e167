{
  "$asm.manifest": "http://purl.allotrope.org/manifests/solution-analyzer/REC/2024/09/solution-analyzer.manifest",
  "solution analyzer aggregate document": {
    "device system document": { "equipment serial number": "4711", "model number": "ANALYZER 5" },
    "solution analyzer document": [
      {
        "analyst": "me",
        "measurement aggregate document": {
          "measurement document": [
            {
              "measurement time": "2026-02-03T10:15:00+00:00",
              "sample document": { "sample identifier": "A-1" },
              "absorbance": { "value": 6.32, "unit": "mAU" }
            },
            {
              "measurement time": "2026-02-03T10:15:00+00:00",
              "sample document": { "sample identifier": "A-1" },
              "analyte aggregate document": {
                "analyte document": [
                  { "analyte name": "ammonia", "molar concentration": { "value": 1.840, "unit": "mmol/L" } },
                  { "analyte name": "lactate", "mass concentration": { "value": 20.0, "unit": "mg/L" } }
                ]
              }
            }
          ]
        }
      },
      {
        "analyst": "you",
        "measurement aggregate document": {
          "measurement document": [
            {
              "measurement time": "2026-02-03T10:25:00+00:00",
              "sample document": { "sample identifier": "A-2" },
              "analyte aggregate document": {
                "analyte document": [
                  { "analyte name": "lactate", "mass concentration": { "value": 1.9E-1, "unit": "g/L" } }
                ]
              }
            }
          ]
        }
      }
    ]
  }
}
